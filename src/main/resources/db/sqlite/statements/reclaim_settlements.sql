-- reclaim_settlements: drops the ledger of the blocks that the gate passes.
-- Called by:   SqliteReclaim, once.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of settlement, a range.
-- Changes:     one row per passed block and bit that had settlements.
DELETE FROM settlement
WHERE block < ?1;
