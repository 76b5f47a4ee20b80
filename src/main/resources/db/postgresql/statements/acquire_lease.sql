-- acquire_lease: notes who owns the shard from now on and begins the lease.
-- Called by:   PostgresqlOwnership.acquire, in the transaction of acquire_epoch.
-- Locks:       exclusive on the row of the lease.
-- Access path: primary key of lease.
-- Changes:     exactly one row.
INSERT INTO ringtable.lease (shard_id, epoch, node_id, node, renewed_at, lease_ms)
VALUES (?, ?, ?, ?, clock_timestamp(), ?)
ON CONFLICT (shard_id) DO UPDATE
    SET epoch = excluded.epoch, node_id = excluded.node_id, node = excluded.node, renewed_at = excluded.renewed_at,
        lease_ms = excluded.lease_ms;
