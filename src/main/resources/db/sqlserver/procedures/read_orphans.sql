-- read_orphans: bodies that neither a ring row from the gate on nor a backlog row names.
-- Called by:   statements/read_orphans.sql, at recovery.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: overflow_pk; slot_pk, the whole ring, only if there are bodies; backlog_in_overflow.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.read_orphans;
GO

CREATE PROCEDURE ringtable.read_orphans
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @gate BIGINT;
    DECLARE @staged TABLE (body_id BIGINT NOT NULL PRIMARY KEY);
    DECLARE @named TABLE (body_id BIGINT NOT NULL PRIMARY KEY);
    INSERT INTO @staged (body_id)
    SELECT DISTINCT o.body_id FROM ringtable.overflow AS o WHERE o.shard_id = @shard_id;
    SELECT @gate = h.gate FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    -- The ring before the backlog: what reclaim moves meanwhile is found there.
    IF EXISTS (SELECT 1 FROM @staged)
        INSERT INTO @named (body_id)
        SELECT DISTINCT m.body_id
        FROM ringtable.slot AS m
        WHERE m.shard_id = @shard_id AND m.sequence >= @gate AND m.body_id IS NOT NULL;
    SELECT s.body_id
    FROM @staged AS s
    LEFT JOIN @named AS n ON n.body_id = s.body_id
    LEFT JOIN ringtable.backlog AS b WITH (FORCESEEK (backlog_in_overflow (shard_id, body_id)))
        ON b.shard_id = @shard_id AND b.body_id = s.body_id
    WHERE n.body_id IS NULL AND b.body_id IS NULL
    ORDER BY s.body_id
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO
