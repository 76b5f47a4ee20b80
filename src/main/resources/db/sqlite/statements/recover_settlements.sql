-- recover_settlements: the ring's ledger.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of settlement: a row per block and bit of the ring.
-- Changes:     nothing.
SELECT block, bit, settled
FROM settlement
ORDER BY block, bit;
