-- renew: begins the lease anew.
-- Called by:   statements/renew.sql, by timer.
-- Locks:       the lease, exclusive, for one statement; waits for no flush.
-- Access path: lease_pk.
-- Changes:     exactly one row; else another owner has the shard.
DROP PROCEDURE IF EXISTS ringtable.renew;
GO

CREATE PROCEDURE ringtable.renew
    @shard_id INT,
    @epoch BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    UPDATE ringtable.lease SET renewed_at = SYSUTCDATETIME() WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
END;
GO
