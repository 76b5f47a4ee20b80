-- read_ring: messages of the ring by sequence, in order; pending holds what the ledger says is still owed.
-- Called by:   statements/read_ring.sql.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: settlement_pk, shard_pk, slot_pk: one seek per sequence.
-- Changes:     nothing; leaves out messages that the gate has passed.
DROP PROCEDURE IF EXISTS ringtable.read_ring;
GO

CREATE PROCEDURE ringtable.read_ring
    @shard_id INT,
    @sequences NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @wanted TABLE (sequence BIGINT NOT NULL PRIMARY KEY);
    DECLARE @blocks TABLE (block BIGINT NOT NULL PRIMARY KEY);
    DECLARE @ledger TABLE (
        block   BIGINT      NOT NULL,
        [bit]   SMALLINT    NOT NULL,
        settled BINARY(128) NOT NULL,
        PRIMARY KEY (block, [bit])
    );
    INSERT INTO @wanted (sequence) SELECT j.sequence FROM OPENJSON(@sequences) WITH (sequence BIGINT '$') AS j;
    INSERT INTO @blocks (block) SELECT DISTINCT q.sequence / 1024 FROM @wanted AS q;
    -- The ledger before the gate: a block whose rows reclaim has deleted meanwhile lies below the gate that is read
    -- after. The ledger before the slots: a message shows what was owed of it at one moment or a later one, never less.
    INSERT INTO @ledger (block, [bit], settled)
    SELECT l.block, l.[bit], l.settled
    FROM @blocks AS b
    JOIN ringtable.settlement AS l ON l.shard_id = @shard_id AND l.block = b.block
    OPTION (LOOP JOIN, FORCE ORDER);
    SELECT @gate = h.gate, @capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
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
    FROM @wanted AS q
    JOIN ringtable.slot AS m
        ON m.shard_id = @shard_id AND m.slot = CAST(q.sequence % @capacity AS INT) AND m.sequence = q.sequence
    WHERE q.sequence >= @gate
    ORDER BY m.sequence
    OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
END;
GO
