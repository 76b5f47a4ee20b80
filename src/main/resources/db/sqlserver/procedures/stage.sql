-- stage: stores one chunk, at most 1 MiB, of a large body before the flush that claims its message.
-- Called by:   statements/stage.sql, once per chunk, commit included.
-- Locks:       the lease, exclusive until commit: a new owner waits, a renewal as long as 1 MiB takes, no flush.
-- Access path: lease_pk, overflow_pk.
-- Changes:     exactly one row of overflow.
DROP PROCEDURE IF EXISTS ringtable.stage;
GO

CREATE PROCEDURE ringtable.stage
    @shard_id INT,
    @epoch BIGINT,
    @body_id BIGINT,
    @chunk INT,
    @chunks INT,
    @data VARBINARY(MAX)
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
    INSERT INTO ringtable.overflow (shard_id, body_id, chunk, chunks, data)
    VALUES (@shard_id, @body_id, @chunk, @chunks, @data);
    COMMIT TRANSACTION;
END;
GO
