-- recover_ring: a stretch of slots, in order, without bodies.
-- Called by:   SqlserverRecovery, a portion at a time.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_ring.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_ring @shard_id = ?, @from_slot = ?, @to_slot = ?;
