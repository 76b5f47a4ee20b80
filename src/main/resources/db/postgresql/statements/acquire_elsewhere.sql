-- acquire_elsewhere: which other node holds another shard of the database, the one for longest that will.
-- Called by:   PostgresqlOwnership, before a shard is taken whose database needs a step of the schema.
-- Locks:       none.
-- Access path: lease, whole: a row for each shard.
-- Changes:     nothing.
SELECT node, epoch, ceil(extract(epoch FROM renewed_at - clock_timestamp()) * 1000 + lease_ms)::bigint AS left_ms
FROM ringtable.lease
WHERE shard_id <> ? AND node_id <> ? AND renewed_at + lease_ms * interval '1 millisecond' > clock_timestamp()
ORDER BY left_ms DESC
LIMIT 1;
