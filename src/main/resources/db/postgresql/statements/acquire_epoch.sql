-- acquire_epoch: fences off every earlier owner, also those unknown to a restored database or a promoted replica.
-- Called by:   PostgresqlOwnership.acquire, holding the owner row.
-- Locks:       exclusive on the owner row.
-- Access path: primary key of shard.
-- Changes:     exactly one row; answers its epoch.
UPDATE ringtable.shard
SET epoch = greatest(epoch + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint), acquired_at = clock_timestamp()
WHERE shard_id = ?
RETURNING epoch;
