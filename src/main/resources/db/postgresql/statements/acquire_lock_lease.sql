-- acquire_lock_lease: keeps the owner from renewing while its lease is looked at.
-- Called by:   PostgresqlOwnership.acquire.
-- Locks:       FOR UPDATE on the row of the lease.
-- Access path: primary key of lease.
-- Changes:     nothing.
SELECT epoch
FROM ringtable.lease
WHERE shard_id = ?
FOR UPDATE;
