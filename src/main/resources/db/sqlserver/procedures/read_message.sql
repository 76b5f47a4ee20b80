-- read_message: one message wherever it lies, with the bits that its row names and those that still owe it.
-- Called by:   statements/read_message.sql.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: settlement_pk, shard_pk, slot_pk; backlog_summary_pk, backlog_settlement_pk, backlog_pk.
-- Changes:     nothing; answers no row if the message is over and its row is gone.
DROP PROCEDURE IF EXISTS ringtable.read_message;
GO

CREATE PROCEDURE ringtable.read_message
    @shard_id INT,
    @sequence BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @settled BIGINT;
    DECLARE @address_id BIGINT;
    DECLARE @addresses TABLE (address_id BIGINT NOT NULL PRIMARY KEY);
    -- The ledger before the gate, and before the row, as in read_ring: what it lacks is owed, or was a moment ago.
    SELECT @settled = SUM(POWER(CAST(2 AS BIGINT), l.[bit]))
    FROM ringtable.settlement AS l
    WHERE l.shard_id = @shard_id
      AND l.block = @sequence / 1024
      AND CAST(SUBSTRING(l.settled, CAST(@sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
          & POWER(2, CAST(@sequence % 8 AS INT)) <> 0;
    SELECT @gate = h.gate, @capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    IF @sequence >= @gate
    BEGIN
        SELECT m.sequence,
               m.address_id,
               DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
               m.priority,
               COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
               COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
               m.group_no,
               m.pending,
               COALESCE(m.body_id, 0) AS body_id,
               m.body_bytes,
               m.body,
               COALESCE(m.login_id, -1) AS login_id,
               1 AS in_ring,
               m.pending & ~COALESCE(@settled, 0) AS owed
        FROM ringtable.slot AS m
        WHERE m.shard_id = @shard_id AND m.slot = CAST(@sequence % @capacity AS INT) AND m.sequence = @sequence;
        RETURN;
    END;
    -- The key of the backlog begins with the address, and few addresses have a backlog that spans the sequence.
    INSERT INTO @addresses (address_id)
    SELECT y.address_id
    FROM ringtable.backlog_summary AS y
    WHERE y.shard_id = @shard_id AND y.first_sequence <= @sequence AND y.last_sequence >= @sequence;
    SELECT @address_id = m.address_id
    FROM @addresses AS a
    JOIN ringtable.backlog AS m WITH (FORCESEEK (backlog_pk (shard_id, address_id)))
        ON m.shard_id = @shard_id AND m.address_id = a.address_id AND m.sequence = @sequence
    OPTION (LOOP JOIN, FORCE ORDER);
    SET @settled = NULL;
    SELECT @settled = SUM(POWER(CAST(2 AS BIGINT), l.[bit]))
    FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = @shard_id
      AND l.address_id = @address_id
      AND l.block = @sequence / 1024
      AND CAST(SUBSTRING(l.settled, CAST(@sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
          & POWER(2, CAST(@sequence % 8 AS INT)) <> 0;
    SELECT m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes,
           m.body,
           COALESCE(m.login_id, -1) AS login_id,
           0 AS in_ring,
           m.pending & ~COALESCE(@settled, 0) AS owed
    FROM ringtable.backlog AS m
    WHERE m.shard_id = @shard_id AND m.address_id = @address_id AND m.sequence = @sequence;
END;
GO
