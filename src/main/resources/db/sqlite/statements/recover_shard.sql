-- recover_shard: what the shard says of itself.
-- Called by:   SqliteRecovery, first in its transaction.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of shard.
-- Changes:     nothing.
SELECT epoch, capacity, gate, dispatch_bound, next_id
FROM shard
WHERE shard_id = 0;
