-- resign: ends the lease at once.
-- Called by:   PostgresqlRingStore.resign, at an orderly stop.
-- Locks:       exclusive on the row of the lease.
-- Access path: primary key of lease.
-- Changes:     exactly one row, or none: another owner has the shard.
UPDATE ringtable.lease
SET lease_ms = 0
WHERE shard_id = ? AND epoch = ?;
