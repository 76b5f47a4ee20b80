-- node_owners: who owns each shard of the database, and for how long.
-- Called by:   ServerNodeTable.owners, by timer, on a connection of its own.
-- Locks:       none.
-- Access path: lease, whole: a row for each shard.
-- Changes:     nothing.
SELECT shard_id, epoch, node_id, node,
       ceil(extract(epoch FROM renewed_at - clock_timestamp()) * 1000 + lease_ms)::bigint AS left_ms
FROM ringtable.lease
ORDER BY shard_id;
