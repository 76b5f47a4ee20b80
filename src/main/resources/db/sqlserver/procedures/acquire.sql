-- acquire: takes the shard if it is free, if its lease has ended, or if the same node held it last.
-- Called by:   statements/acquire.sql, at a start and by a stand-by again and again.
-- Locks:       owner row, then lease, exclusive until commit: waits for whatever an earlier owner has under way.
-- Access path: shard_pk, lease_pk.
-- Changes:     one row of shard and one of lease; or one of lease; or nothing.
--
-- The epoch rises, at least to the milliseconds since 1970: so none comes back that was given after the backup from
-- which the database was restored. A lease that begins in the future, as the clock of the server was set back, is made
-- to begin now.
-- While the lease of another node runs it is only read, so a stand-by gets in nobody's way; once after the clock was
-- set back it writes the lease.
-- Answers (epoch, NULL, the epoch before, NULL) or (NULL, holder, its epoch, milliseconds left). Parameters and answer
-- never change: brokers of different versions have to agree on them, and a new one calls it before it migrates.
DROP PROCEDURE IF EXISTS ringtable.acquire;
GO

CREATE PROCEDURE ringtable.acquire
    @shard_id INT,
    @node_id NVARCHAR(100),
    @node NVARCHAR(400),
    @lease_ms BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @epoch BIGINT;
    DECLARE @previous BIGINT;
    DECLARE @now_ms BIGINT;
    DECLARE @holder NVARCHAR(400);
    DECLARE @holder_id NVARCHAR(100);
    DECLARE @held_epoch BIGINT;
    DECLARE @held_ms BIGINT;
    DECLARE @left_ms BIGINT;

    SELECT @holder = l.node, @holder_id = l.node_id, @held_epoch = l.epoch, @held_ms = l.lease_ms,
           @left_ms = l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME())
    FROM ringtable.lease AS l
    WHERE l.shard_id = @shard_id;
    IF @holder_id <> @node_id AND @left_ms > 0
    BEGIN
        IF @left_ms > @held_ms
        BEGIN
            UPDATE ringtable.lease
            SET renewed_at = SYSUTCDATETIME()
            WHERE shard_id = @shard_id AND renewed_at > SYSUTCDATETIME();
            SET @left_ms = @held_ms;
        END;
        SELECT CAST(NULL AS BIGINT) AS epoch, @holder AS holder, @held_epoch AS held_epoch, @left_ms AS left_ms;
        RETURN;
    END;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET acquired_at = SYSUTCDATETIME() WHERE shard_id = @shard_id;
    IF @@ROWCOUNT = 0
        INSERT INTO ringtable.shard (shard_id, epoch, acquired_at, capacity, gate, dispatch_bound, next_id, slot_bytes)
        VALUES (@shard_id, 0, SYSUTCDATETIME(), NULL, 0, -1, 0, NULL);
    -- Keeps the owner from renewing while its lease is looked at again: somebody may have been quicker.
    UPDATE ringtable.lease SET lease_ms = lease.lease_ms WHERE shard_id = @shard_id;
    SET @holder_id = NULL;
    SELECT @holder = l.node, @holder_id = l.node_id, @held_epoch = l.epoch,
           @left_ms = l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME())
    FROM ringtable.lease AS l
    WHERE l.shard_id = @shard_id;
    IF @holder_id <> @node_id AND @left_ms > 0
    BEGIN
        ROLLBACK TRANSACTION;
        SELECT CAST(NULL AS BIGINT) AS epoch, @holder AS holder, @held_epoch AS held_epoch, @left_ms AS left_ms;
        RETURN;
    END;

    SELECT @previous = h.epoch FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    SET @now_ms = DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME());
    SET @epoch = @previous + 1;
    IF @epoch < @now_ms
        SET @epoch = @now_ms;
    UPDATE ringtable.shard SET epoch = @epoch WHERE shard_id = @shard_id;
    UPDATE ringtable.lease
    SET epoch = @epoch, node_id = @node_id, node = @node, renewed_at = SYSUTCDATETIME(), lease_ms = @lease_ms
    WHERE shard_id = @shard_id;
    IF @@ROWCOUNT = 0
        INSERT INTO ringtable.lease (shard_id, epoch, node_id, node, renewed_at, lease_ms)
        VALUES (@shard_id, @epoch, @node_id, @node, SYSUTCDATETIME(), @lease_ms);
    COMMIT TRANSACTION;
    SELECT @epoch AS epoch, CAST(NULL AS NVARCHAR(400)) AS holder, @previous AS held_epoch,
        CAST(NULL AS BIGINT) AS left_ms;
END;
GO
