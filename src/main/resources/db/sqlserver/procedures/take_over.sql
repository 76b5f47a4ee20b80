-- take_over: notes what a shard takes over from the inbox of another database; take_over_row lays each row.
-- Called by:   statements/take_over.sql, as the first call of a transaction of the broker.
-- Locks:       the lease, exclusive until commit: a new owner waits, no flush; then the key of the crossing.
-- Access path: lease_pk; crossing_pk.
-- Changes:     one row of crossing; throws 50019 if it has another number by now, and the caller rolls back.
--
-- A call whose answer was lost may still be under way. The next open_crossing raises the number, and that call then
-- changes nothing. A former owner takes nothing over.
DROP PROCEDURE IF EXISTS ringtable.take_over;
GO

CREATE PROCEDURE ringtable.take_over
    @shard_id INT,
    @epoch BIGINT,
    @origin INT,
    @number BIGINT,
    @inbox_ids NVARCHAR(MAX) -- a JSON array
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);

    UPDATE ringtable.lease SET epoch = lease.epoch WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    UPDATE ringtable.crossing
    SET number = @number, inbox_ids = @inbox_ids
    WHERE shard_id = @shard_id AND origin = @origin AND number = @number - 1;
    IF @@ROWCOUNT <> 1
    BEGIN
        SET @message = CONCAT('the crossing from ', @origin, ' to shard ', @shard_id, ' does not stand at number ',
            @number - 1);
        THROW 50019, @message, 1;
    END;
END;
GO
