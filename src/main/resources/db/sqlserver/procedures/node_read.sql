-- node_read: every node that is there or was within the last day, and how long ago it was seen.
-- Called by:   statements/node_read.sql, before the node writes its own row.
-- Locks:       none that outlasts a row.
-- Access path: node_pk, whole: a row for each node.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.node_read;
GO

CREATE PROCEDURE ringtable.node_read
AS
BEGIN
    SET NOCOUNT ON;
    SELECT n.node_id, n.run_id, n.description, n.version, n.state, n.url, n.lease_ms,
           DATEDIFF_BIG(MILLISECOND, n.seen_at, SYSUTCDATETIME()) AS age_ms
    FROM ringtable.node AS n
    ORDER BY n.node_id;
END;
GO
