-- recover_shard: the owner row.
-- Called by:   PostgresqlRecovery, once per ownership; checkOwner, for the epoch alone.
-- Locks:       none.
-- Access path: primary key of shard.
-- Changes:     nothing.
SELECT epoch, capacity, gate, dispatch_bound, next_id
FROM ringtable.shard
WHERE shard_id = ?;
