-- lay_ring: lays the next 2,048 slots of a new ring.
-- Called by:   statements/lay_ring.sql, again until it answers 0.
-- Locks:       the owner row, exclusive until commit; 2,048 keys and at most as many pages.
-- Access path: shard_pk, slot_pk.
-- Changes:     2,048 slots, with the last of them capacity and next id of the shard; answers how many are still to do.
--
-- Slot s is laid with sequence s - capacity, which the first lap supersedes, and as long as it will ever be:
-- @slot_bytes for the body and 14 for the tag that row versioning adds at the first change of a row, so that no lap
-- splits a page. Half a ring of another capacity, left by a start that was broken off, is removed first.
DROP PROCEDURE IF EXISTS ringtable.lay_ring;
GO

CREATE PROCEDURE ringtable.lay_ring
    @shard_id INT,
    @epoch BIGINT,
    @capacity INT,
    @slot_bytes INT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_capacity INT;
    DECLARE @laid INT;
    DECLARE @seed BIGINT;
    DECLARE @changed INT;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET slot_bytes = COALESCE(shard.slot_bytes, @slot_bytes)
    WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    SELECT @held_capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    IF @held_capacity <> @capacity
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('ring.capacity=', @capacity, ' is not the capacity ', @held_capacity,
            ' that the ring of shard ', @shard_id, ' was laid with: set ring.capacity=', @held_capacity);
        THROW 50017, @message, 1;
    END;
    IF @held_capacity = @capacity
    BEGIN
        COMMIT TRANSACTION;
        SELECT 0 AS still_to_do;
        RETURN;
    END;

    SET @laid = 0;
    SELECT TOP (1) @laid = s.slot + 1, @seed = s.sequence - s.slot
    FROM ringtable.slot AS s
    WHERE s.shard_id = @shard_id
    ORDER BY s.slot DESC;
    IF @seed <> 0 - @capacity
    BEGIN
        DELETE FROM ringtable.slot WHERE shard_id = @shard_id AND slot >= @laid - 2048;
        COMMIT TRANSACTION;
        SELECT @capacity AS still_to_do;
        RETURN;
    END;
    WITH digit (n) AS (
        SELECT n
        FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) AS d (n)),
    number (n) AS (
        SELECT a.n + 16 * b.n + 256 * c.n FROM digit AS a CROSS JOIN digit AS b CROSS JOIN digit AS c)
    INSERT INTO ringtable.slot (shard_id, slot, sequence, address_id, published_at, priority, expires_at, deliver_at,
                                group_no, reference_count, pending, body_id, body_bytes, body, login_id)
    SELECT @shard_id, @laid + n, CAST(@laid AS BIGINT) + n - @capacity, 0, SYSUTCDATETIME(), 0, NULL, NULL, 0, 0, 0,
           NULL, 0, CAST(REPLICATE(CAST('0' AS VARCHAR(8000)), @slot_bytes + 14) AS VARBINARY(8000)), 0
    FROM number
    WHERE n < 2048
    ORDER BY n;
    SET @changed = @@ROWCOUNT;
    IF @changed <> 2048
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('slot: ', @changed, ' rows laid where 2048 must');
        THROW 50016, @message, 1;
    END;
    IF @laid + 2048 >= @capacity
        -- The first id that the shard gives is shard * 2^40, so that an id tells its shard.
        UPDATE ringtable.shard
        SET capacity = @capacity, next_id = CAST(@shard_id AS BIGINT) * CAST(1099511627776 AS BIGINT)
        WHERE shard_id = @shard_id;
    COMMIT TRANSACTION;
    SELECT @capacity - @laid - 2048 AS still_to_do;
END;
GO
