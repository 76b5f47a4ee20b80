-- flush_settle: writes a row of the ring's ledger, whole.
-- Called by:   SqliteFlush, once per block and bit.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of settlement.
-- Changes:     exactly one row per block and bit.
INSERT INTO settlement (block, bit, settled)
VALUES (?1, ?2, ?3)
ON CONFLICT (block, bit) DO UPDATE SET settled = excluded.settled;
