-- acquire_find: who has the shard, and for how long.
-- Called by:   PostgresqlOwnership.acquire, before and after it has the locks.
-- Locks:       none; a stand-by asks without getting in the way of a flush.
-- Access path: primary key of lease.
-- Changes:     nothing.
SELECT node_id, node, epoch,
       ceil(extract(epoch FROM renewed_at - clock_timestamp()) * 1000 + lease_ms)::bigint AS left_ms,
       lease_ms
FROM ringtable.lease
WHERE shard_id = ?;
