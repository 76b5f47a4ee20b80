-- open_crossing: begins to take over what lies in the inbox of another database, and tells what came last.
-- Called by:   statements/open_crossing.sql, commit included.
-- Locks:       the lease, exclusive until commit: a new owner waits, no flush; then the key of the crossing.
-- Access path: lease_pk; crossing_pk.
-- Changes:     one row of crossing: its number rises, so a call that was sent earlier changes nothing any more.
DROP PROCEDURE IF EXISTS ringtable.open_crossing;
GO

CREATE PROCEDURE ringtable.open_crossing
    @shard_id INT,
    @epoch BIGINT,
    @origin INT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);

    BEGIN TRANSACTION;
    UPDATE ringtable.lease SET epoch = lease.epoch WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    UPDATE ringtable.crossing
    SET number = crossing.number + 1
    WHERE shard_id = @shard_id AND origin = @origin;
    IF @@ROWCOUNT = 0
        INSERT INTO ringtable.crossing (shard_id, origin, number, inbox_ids) VALUES (@shard_id, @origin, 1, N'[]');
    COMMIT TRANSACTION;
    SELECT c.number, c.inbox_ids
    FROM ringtable.crossing AS c
    WHERE c.shard_id = @shard_id AND c.origin = @origin;
END;
GO
