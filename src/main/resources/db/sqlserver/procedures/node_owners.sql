-- node_owners: who owns each shard of the database, and for how long.
-- Called by:   statements/node_owners.sql, by timer, on a connection of its own.
-- Locks:       none that outlasts a row.
-- Access path: lease_pk, whole: a row for each shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.node_owners;
GO

CREATE PROCEDURE ringtable.node_owners
AS
BEGIN
    SET NOCOUNT ON;
    SELECT l.shard_id, l.epoch, l.node_id, l.node,
           l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME()) AS left_ms
    FROM ringtable.lease AS l
    ORDER BY l.shard_id;
END;
GO
