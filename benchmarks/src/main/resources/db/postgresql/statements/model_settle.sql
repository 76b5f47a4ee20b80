-- model_settle: writes the bitmap of each block and bit that has changed.
-- Called by:   PostgresModel, once per flush.
-- Locks:       the rows of the ledger.
-- Access path: primary key of model_settlement.
-- Changes:     one row per block and bit.
INSERT INTO model_settlement (block, bit, settled)
SELECT * FROM unnest(?, ?, ?)
ON CONFLICT (block, bit) DO UPDATE SET settled = excluded.settled;
