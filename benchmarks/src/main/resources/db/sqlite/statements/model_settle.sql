-- model_settle: writes the bitmap of a block and bit.
-- Called by:   SqliteModel, once per block and bit that has changed.
-- Locks:       the file's write lock.
-- Access path: primary key of model_settlement.
-- Changes:     one row.
INSERT INTO model_settlement (block, bit, settled) VALUES (?1, ?2, ?3)
ON CONFLICT (block, bit) DO UPDATE SET settled = excluded.settled;
