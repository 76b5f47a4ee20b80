-- read_ring_settlements: what has been settled in one block of the ring.
-- Called by:   SqliteReader.readRing, once per block.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of settlement, a range.
-- Changes:     nothing.
SELECT bit, settled
FROM settlement
WHERE block = ?1;
