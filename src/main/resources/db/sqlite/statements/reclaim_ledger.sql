-- reclaim_ledger: what has been settled in one block.
-- Called by:   SqliteReclaim, once per block.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of settlement, a range.
-- Changes:     nothing.
SELECT settled
FROM settlement
WHERE block = ?1;
