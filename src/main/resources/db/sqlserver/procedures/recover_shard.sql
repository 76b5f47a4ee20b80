-- recover_shard: the owner row, if the caller is the owner.
-- Called by:   statements/recover_shard.sql, before and after everything else that recovery reads.
-- Locks:       none that outlasts a row.
-- Access path: shard_pk.
-- Changes:     nothing.
--
-- As long as the epoch is the same nobody else has written, so no lock has to be held while a whole ring is read.
DROP PROCEDURE IF EXISTS ringtable.recover_shard;
GO

CREATE PROCEDURE ringtable.recover_shard
    @shard_id INT,
    @epoch BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_epoch BIGINT;
    SELECT @held_epoch = h.epoch FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    IF @held_epoch IS NULL OR @held_epoch <> @epoch
    BEGIN
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch ', @held_epoch, ' of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    SELECT h.epoch, h.capacity, h.gate, h.dispatch_bound, h.next_id
    FROM ringtable.shard AS h
    WHERE h.shard_id = @shard_id AND h.epoch = @epoch;
END;
GO
