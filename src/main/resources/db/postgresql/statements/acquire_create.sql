-- acquire_create: makes the owner row of a shard that nobody has ever owned.
-- Called by:   PostgresqlOwnership.acquire.
-- Locks:       exclusive on the new row.
-- Access path: primary key of shard.
-- Changes:     one row or none.
INSERT INTO ringtable.shard (shard_id, epoch, acquired_at, capacity, gate, dispatch_bound, next_id)
VALUES (?, 0, clock_timestamp(), NULL, 0, -1, 0)
ON CONFLICT (shard_id) DO NOTHING;
