-- acquire_lock: waits for whatever an earlier owner has under way, and keeps it from beginning anything else.
-- Called by:   PostgresqlOwnership.acquire.
-- Locks:       FOR UPDATE on the owner row: waits for flushes and for bodies being staged.
-- Access path: primary key of shard.
-- Changes:     nothing.
SELECT epoch
FROM ringtable.shard
WHERE shard_id = ?
FOR UPDATE;
