-- renew: begins the lease anew.
-- Called by:   PostgresqlRingStore.renew, by timer.
-- Locks:       exclusive on the row of the lease; waits for no flush.
-- Access path: primary key of lease.
-- Changes:     exactly one row, or none: another owner has the shard.
UPDATE ringtable.lease
SET renewed_at = clock_timestamp()
WHERE shard_id = ? AND epoch = ?;
