-- read_inbox_shards: the shards that have committed rows in the inbox.
-- Called by:   statements/read_inbox_shards.sql, every few milliseconds by a process that has several shards.
-- Locks:       shared, row by row; passes over rows of open transactions.
-- Access path: inbox_pk and inbox_settlement_pk: one row of each shard that has any.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.read_inbox_shards;
GO

CREATE PROCEDURE ringtable.read_inbox_shards
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @found TABLE (shard_id INT NOT NULL PRIMARY KEY);
    DECLARE @after INT;
    DECLARE @next INT;

    SET @after = -1;
    WHILE @after IS NOT NULL
    BEGIN
        SET @next = NULL; -- a SELECT that finds no row leaves it
        SELECT TOP (1) @next = i.shard_id
        FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, READPAST)
        WHERE i.shard_id > @after
        ORDER BY i.shard_id, i.inbox_id
        OPTION (MAXDOP 1);
        IF @next IS NOT NULL
            INSERT INTO @found (shard_id) VALUES (@next);
        SET @after = @next;
    END;

    SET @after = -1;
    WHILE @after IS NOT NULL
    BEGIN
        SET @next = NULL;
        SELECT TOP (1) @next = s.shard_id
        FROM ringtable.inbox_settlement AS s WITH (READCOMMITTEDLOCK, READPAST)
        WHERE s.shard_id > @after
        ORDER BY s.shard_id, s.inbox_id
        OPTION (MAXDOP 1);
        IF @next IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @found AS f WHERE f.shard_id = @next)
            INSERT INTO @found (shard_id) VALUES (@next);
        SET @after = @next;
    END;

    SELECT f.shard_id FROM @found AS f;
END;
GO
