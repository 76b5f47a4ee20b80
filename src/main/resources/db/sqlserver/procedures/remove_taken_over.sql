-- remove_taken_over: deletes messages that a shard in another database has taken over.
-- Called by:   statements/remove_taken_over.sql, commit included.
-- Locks:       the keys of the rows, and no page.
-- Access path: inbox_pk, one seek per row.
-- Changes:     any number of rows: an earlier call may have deleted them, and its answer was lost.
DROP PROCEDURE IF EXISTS ringtable.remove_taken_over;
GO

CREATE PROCEDURE ringtable.remove_taken_over
    @shard_id INT,
    @inbox_ids NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @rows TABLE (inbox_id BIGINT NOT NULL PRIMARY KEY);

    INSERT INTO @rows (inbox_id) SELECT j.inbox_id FROM OPENJSON(@inbox_ids) WITH (inbox_id BIGINT '$') AS j;
    -- From the list, key by key: a range would lock the rows of open transactions that lie between, and wait for them.
    DELETE i
    FROM @rows AS n
    JOIN ringtable.inbox AS i WITH (ROWLOCK, FORCESEEK) ON i.shard_id = @shard_id AND i.inbox_id = n.inbox_id
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO
