-- pass_on: passes messages of the inbox on to another shard, in which their address lives.
-- Called by:   statements/pass_on.sql, commit included.
-- Locks:       the lease, exclusive until commit: a new owner waits, no flush; then the keys of the rows, and no page.
-- Access path: lease_pk; inbox_pk, one seek per row.
-- Changes:     shard_id and session_id of each row that is named, or nothing; any other count throws 50016.
--
-- Rows keep their ids. They get the session of this call in place of the callers' own, so that read_inbox answers
-- nothing behind a row of one call whose lock the commit has not given back yet, whoever had published it.
DROP PROCEDURE IF EXISTS ringtable.pass_on;
GO

CREATE PROCEDURE ringtable.pass_on
    @shard_id INT,
    @epoch BIGINT,
    @home INT,
    @inbox_ids NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @named INT;
    DECLARE @passed INT;
    DECLARE @rows TABLE (inbox_id BIGINT NOT NULL PRIMARY KEY);

    INSERT INTO @rows (inbox_id) SELECT j.inbox_id FROM OPENJSON(@inbox_ids) WITH (inbox_id BIGINT '$') AS j;
    SELECT @named = COUNT(*) FROM @rows AS n;
    BEGIN TRANSACTION;
    UPDATE ringtable.lease SET epoch = lease.epoch WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    -- From the list, key by key: a range would lock the rows of open transactions that lie between, and wait for them.
    UPDATE i
    SET shard_id = @home, session_id = @@SPID
    FROM @rows AS n
    JOIN ringtable.inbox AS i WITH (ROWLOCK, FORCESEEK) ON i.shard_id = @shard_id AND i.inbox_id = n.inbox_id
    OPTION (LOOP JOIN, FORCE ORDER);
    SET @passed = @@ROWCOUNT;
    IF @passed <> @named
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('inbox: ', @passed, ' rows passed on where ', @named, ' must');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;
END;
GO
