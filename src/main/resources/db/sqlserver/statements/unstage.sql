-- unstage: deletes bodies that nobody owes any more.
-- Called by:   SqlserverRingStore.unstage.
-- Locks:       the lease, and at most 31 chunks at a time.
-- Access path: see procedures/unstage.sql.
-- Changes:     every chunk of the bodies.
EXECUTE ringtable.unstage @shard_id = ?, @epoch = ?, @body_ids = ?;
