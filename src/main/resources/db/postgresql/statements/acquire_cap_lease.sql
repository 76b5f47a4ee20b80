-- acquire_cap_lease: lets a lease that begins in the future begin now: the server's clock was set back since.
-- Called by:   PostgresqlOwnership.acquire, for a stand-by.
-- Locks:       exclusive on the row of the lease; waits for no flush.
-- Access path: primary key of lease.
-- Changes:     one row, or none if the owner has renewed meanwhile.
UPDATE ringtable.lease
SET renewed_at = clock_timestamp()
WHERE shard_id = ? AND renewed_at > clock_timestamp();
