-- read_backlog_facts: messages of an address in the backlog that named a bit when they were moved, without bodies.
-- Called by:   statements/read_backlog_facts.sql.
-- Locks:       none that outlasts a row; one table.
-- Access path: backlog_pk, a range; read only as far as the caller needs.
-- Changes:     nothing.
--
-- In order, at most @rows_max of them above @after.
DROP PROCEDURE IF EXISTS ringtable.read_backlog_facts;
GO

CREATE PROCEDURE ringtable.read_backlog_facts
    @shard_id INT,
    @address_id BIGINT,
    @group_no INT,
    @bit INT,
    @after BIGINT,
    @rows_max INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT TOP (@rows_max)
           m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes
    FROM ringtable.backlog AS m WITH (FORCESEEK (backlog_pk (shard_id, address_id)))
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence > @after
      AND m.group_no = @group_no
      AND m.pending & POWER(CAST(2 AS BIGINT), @bit) <> 0
    ORDER BY m.sequence
    OPTION (KEEPFIXED PLAN);
END;
GO
