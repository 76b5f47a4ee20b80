-- acquire_epoch: fences off every earlier owner.
-- Called by:   PostgresqlOwnership.acquire, holding the owner row.
-- Locks:       exclusive on the owner row.
-- Access path: primary key of shard.
-- Changes:     exactly one row; answers its epoch.
UPDATE ringtable.shard
SET epoch = epoch + 1, acquired_at = clock_timestamp()
WHERE shard_id = ?
RETURNING epoch;
