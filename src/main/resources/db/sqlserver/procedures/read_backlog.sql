-- read_backlog: messages of an address in the backlog that a bit still owes, in order.
-- Called by:   statements/read_backlog.sql, a portion at a time.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: backlog_pk, a range; backlog_settlement_pk, a range.
-- Changes:     nothing.
--
-- Looks at the next @rows_max rows above @after. Answers first the sequence up to which it has looked (NULL: there are
-- no more rows), then the messages.
DROP PROCEDURE IF EXISTS ringtable.read_backlog;
GO

CREATE PROCEDURE ringtable.read_backlog
    @shard_id INT,
    @address_id BIGINT,
    @group_no INT,
    @bit INT,
    @after BIGINT,
    @rows_max INT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @first BIGINT;
    DECLARE @last BIGINT;
    DECLARE @ledger TABLE (
        block   BIGINT      NOT NULL,
        [bit]   SMALLINT    NOT NULL,
        settled BINARY(128) NOT NULL,
        PRIMARY KEY (block, [bit])
    );
    -- The other indexes have the sequence too, in rows of some 35 bytes: for an address of a few thousand messages it
    -- is cheaper to read all of them there and to sort. That plan stays, and would sort a million at each portion.
    SELECT @first = MIN(p.sequence), @last = MAX(p.sequence)
    FROM (SELECT TOP (@rows_max) m.sequence
          FROM ringtable.backlog AS m WITH (FORCESEEK (backlog_pk (shard_id, address_id)))
          WHERE m.shard_id = @shard_id AND m.address_id = @address_id AND m.sequence > @after
          ORDER BY m.sequence) AS p
    OPTION (KEEPFIXED PLAN);
    -- The ledger before the rows: what it lacks of a row that is there is owed, or was a moment ago.
    INSERT INTO @ledger (block, [bit], settled)
    SELECT l.block, l.[bit], l.settled
    FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = @shard_id AND l.address_id = @address_id
      AND l.block >= @first / 1024 AND l.block <= @last / 1024;
    SELECT @last AS looked_to;
    SELECT m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending - COALESCE((SELECT SUM(POWER(CAST(2 AS BIGINT), l.[bit]))
                                 FROM @ledger AS l
                                 WHERE l.block = m.sequence / 1024
                                   AND m.pending & POWER(CAST(2 AS BIGINT), l.[bit]) <> 0
                                   AND CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                                       & POWER(2, CAST(m.sequence % 8 AS INT)) <> 0), 0) AS pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes,
           m.body,
           COALESCE(m.login_id, -1) AS login_id
    FROM ringtable.backlog AS m WITH (FORCESEEK (backlog_pk (shard_id, address_id)))
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence > @after
      AND m.sequence <= @last
      AND m.group_no = @group_no
      AND m.pending & POWER(CAST(2 AS BIGINT), @bit) <> 0
      AND NOT EXISTS (SELECT 1
                      FROM @ledger AS l
                      WHERE l.block = m.sequence / 1024
                        AND l.[bit] = @bit
                        AND CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                            & POWER(2, CAST(m.sequence % 8 AS INT)) <> 0)
    ORDER BY m.sequence
    OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
END;
GO
