-- unstage: deletes bodies that nobody owes any more.
-- Called by:   statements/unstage.sql, commits included.
-- Locks:       the lease, exclusive, and at most 31 chunks at a time, each time until a commit.
-- Access path: lease_pk; overflow_pk, one range per body.
-- Changes:     every chunk of the bodies; those that are not there are passed over.
--
-- In portions, so that no renewal waits for long and no locks are escalated.
DROP PROCEDURE IF EXISTS ringtable.unstage;
GO

CREATE PROCEDURE ringtable.unstage
    @shard_id INT,
    @epoch BIGINT,
    @body_ids NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @bodies TABLE (body_id BIGINT NOT NULL PRIMARY KEY);
    DECLARE @message NVARCHAR(2048);
    DECLARE @body_id BIGINT;
    DECLARE @before BIGINT;
    DECLARE @rows INT;
    DECLARE @deleted INT;
    INSERT INTO @bodies (body_id) SELECT j.id FROM OPENJSON(@body_ids) WITH (id BIGINT '$') AS j;
    SELECT @body_id = MIN(b.body_id) FROM @bodies AS b;
    WHILE @body_id IS NOT NULL
    BEGIN
        BEGIN TRANSACTION;
        UPDATE ringtable.lease SET epoch = lease.epoch WHERE shard_id = @shard_id AND epoch = @epoch;
        IF @@ROWCOUNT <> 1
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
            THROW 50015, @message, 1;
        END;
        SET @deleted = 0;
        WHILE @body_id IS NOT NULL AND @deleted < 16
        BEGIN
            DELETE TOP (16) FROM ringtable.overflow WHERE shard_id = @shard_id AND body_id = @body_id;
            SET @rows = @@ROWCOUNT;
            SET @deleted = @deleted + @rows;
            IF @rows < 16
            BEGIN
                SET @before = @body_id;
                SELECT @body_id = MIN(b.body_id) FROM @bodies AS b WHERE b.body_id > @before;
            END;
        END;
        COMMIT TRANSACTION;
    END;
END;
GO
