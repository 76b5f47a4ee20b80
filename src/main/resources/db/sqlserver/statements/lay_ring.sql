-- lay_ring: lays the next portion of a new ring.
-- Called by:   SqlserverWriter.lay, until it answers 0.
-- Locks:       the owner row, then the new slots; see procedures/lay_ring.sql.
-- Access path: see procedures/lay_ring.sql.
-- Changes:     2,048 slots; answers how many are left.
EXECUTE ringtable.lay_ring @shard_id = ?, @epoch = ?, @capacity = ?, @slot_bytes = ?;
