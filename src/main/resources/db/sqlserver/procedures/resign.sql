-- resign: ends the lease at once.
-- Called by:   statements/resign.sql, at an orderly stop.
-- Locks:       the lease, exclusive, for one statement.
-- Access path: lease_pk.
-- Changes:     exactly one row; else another owner has the shard.
DROP PROCEDURE IF EXISTS ringtable.resign;
GO

CREATE PROCEDURE ringtable.resign
    @shard_id INT,
    @epoch BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    UPDATE ringtable.lease SET lease_ms = 0 WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
END;
GO
