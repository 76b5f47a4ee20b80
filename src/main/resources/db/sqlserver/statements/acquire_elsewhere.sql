-- acquire_elsewhere: which other node holds another shard of the database, the one for longest that will.
-- Called by:   SqlserverOwnership, before a shard is taken whose database needs a step of the schema.
-- Locks:       none that outlasts a row.
-- Access path: lease, whole: a row for each shard.
-- Changes:     nothing.
--
-- No procedure: an older schema has none for it.
SELECT TOP (1) l.node, l.epoch, l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME()) AS left_ms
FROM ringtable.lease AS l
WHERE l.shard_id <> ? AND l.node_id <> ? AND l.lease_ms > DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME())
ORDER BY left_ms DESC;
