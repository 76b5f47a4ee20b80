-- read_inbox: committed messages and settlements of the inbox, lowest ids first.
-- Called by:   statements/read_inbox.sql, every few milliseconds: the table is nearly empty.
-- Locks:       none that outlasts a row; passes over rows of open transactions.
-- Access path: inbox_pk, from its beginning, then backwards; inbox_settlement_pk, subscription_pk, backlog_pk.
-- Changes:     nothing.
--
-- Answers until so many messages or bytes are reached; whoever published twice has both or the first among them. With
-- them committed settlements in any order, and of each where its message lies and what the backlog knows of it: the
-- gate is read before the backlog, so what is on its way is seen in the ring or there. Rows of open transactions are
-- passed over: no caller is waited for, with or without READ_COMMITTED_SNAPSHOT (READCOMMITTEDLOCK makes both the
-- same).
--
-- Order without a snapshot. A scan with ascending ids can pass the place of a message, see its transaction commit and
-- another one begin and commit, and then come upon the second message alone. So the rows are read with descending ids:
-- whoever is seen has all its predecessors committed by then, with lower ids, and they are still to come. (Ids are
-- given from one counter in the order of the calls, over all sessions.) That leaves the moment in which a commit gives
-- back its locks, one by one: a row may be free while an earlier one of the same transaction still is not. So the ids
-- that are there, committed or not, are read last, and behind one that had been passed over nothing of the same session
-- is answered. The next look finds it.
DROP PROCEDURE IF EXISTS ringtable.read_inbox;
GO

CREATE PROCEDURE ringtable.read_inbox
    @shard_id INT,
    @left_out NVARCHAR(MAX), -- a JSON array of addresses, none twice
    @messages_max INT,
    @bytes_max BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @full TABLE (address NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY);
    DECLARE @bound BIGINT;
    DECLARE @everything INT;
    DECLARE @committed TABLE (
        inbox_id   BIGINT NOT NULL PRIMARY KEY,
        session_id INT    NOT NULL,
        bytes      BIGINT NOT NULL
    );
    DECLARE @passed_over TABLE (
        session_id INT    NOT NULL PRIMARY KEY,
        first_id   BIGINT NOT NULL
    );
    IF @left_out <> N'[]'
        INSERT INTO @full (address)
        SELECT ringtable.unescaped(j.address) FROM OPENJSON(@left_out) WITH (address NVARCHAR(MAX) '$') AS j;
    -- Any bound will do: a message below it has its predecessors below it.
    SELECT @bound = MAX(p.inbox_id)
    FROM (SELECT TOP (@messages_max) i.inbox_id
          FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, READPAST)
          WHERE i.shard_id = @shard_id
            AND NOT EXISTS (SELECT 1 FROM @full AS n WHERE n.address = i.address)
          ORDER BY i.inbox_id) AS p
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    IF @bound IS NOT NULL
    BEGIN
        SET @everything = 2147483647; -- TOP with a variable has the rows read in the order that follows
        INSERT INTO @committed (inbox_id, session_id, bytes)
        SELECT TOP (@everything) i.inbox_id, i.session_id, COALESCE(DATALENGTH(i.body), DATALENGTH(i.body_text))
        FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, READPAST)
        WHERE i.shard_id = @shard_id
          AND i.inbox_id <= @bound
          AND NOT EXISTS (SELECT 1 FROM @full AS n WHERE n.address = i.address)
        ORDER BY i.inbox_id DESC
        OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
        INSERT INTO @passed_over (session_id, first_id)
        SELECT i.session_id, MIN(i.inbox_id)
        FROM ringtable.inbox AS i WITH (READUNCOMMITTED)
        WHERE i.shard_id = @shard_id
          AND i.inbox_id <= @bound
          AND NOT EXISTS (SELECT 1 FROM @committed AS c WHERE c.inbox_id = i.inbox_id)
          AND NOT EXISTS (SELECT 1 FROM @full AS n WHERE n.address = i.address)
        GROUP BY i.session_id
        OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    END;
    SELECT m.inbox_id,
           m.address,
           m.kind,
           m.body_text,
           m.body,
           m.properties,
           CASE WHEN m.published_at < SYSUTCDATETIME() THEN DATEDIFF_BIG(MILLISECOND, m.published_at, SYSUTCDATETIME())
               ELSE 0 END AS age_ms,
           m.published_by
    FROM (SELECT TOP (@messages_max) c.inbox_id, c.bytes,
                 SUM(c.bytes) OVER (ORDER BY c.inbox_id ROWS UNBOUNDED PRECEDING) AS bytes_so_far
          FROM @committed AS c
          LEFT JOIN @passed_over AS h ON h.session_id = c.session_id
          WHERE h.first_id IS NULL OR c.inbox_id < h.first_id
          ORDER BY c.inbox_id) AS t
    JOIN ringtable.inbox AS m ON m.shard_id = @shard_id AND m.inbox_id = t.inbox_id
    WHERE t.bytes_so_far <= @bytes_max OR t.bytes_so_far = t.bytes
    ORDER BY m.inbox_id
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    SELECT TOP (@messages_max)
           s.inbox_id,
           CASE WHEN s.laid_down_at < SYSUTCDATETIME() THEN DATEDIFF_BIG(MILLISECOND, s.laid_down_at, SYSUTCDATETIME())
               ELSE 0 END AS age_ms,
           s.subscription_id,
           s.sequence,
           COALESCE(u.address_id, 0) AS address_id,
           CASE WHEN u.address_id IS NULL THEN NULL WHEN s.sequence >= h.gate THEN 'ring'
               WHEN b.sequence IS NOT NULL THEN 'backlog' END AS place,
           COALESCE(b.pending, 0) AS pending,
           COALESCE(b.body_bytes, 0) AS body_bytes,
           COALESCE(b.body_id, 0) AS body_id
    FROM ringtable.inbox_settlement AS s WITH (READCOMMITTEDLOCK, READPAST)
    JOIN ringtable.shard AS h ON h.shard_id = s.shard_id
    LEFT JOIN ringtable.subscription AS u ON u.shard_id = s.shard_id AND u.subscription_id = s.subscription_id
    LEFT JOIN ringtable.backlog AS b
        ON b.shard_id = s.shard_id AND b.address_id = u.address_id AND b.sequence = s.sequence
           AND b.group_no = u.group_no
    WHERE s.shard_id = @shard_id
    ORDER BY s.inbox_id DESC
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
END;
GO
