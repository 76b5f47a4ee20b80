-- flush_settle_backlog: writes a row of the backlog's ledger, whole.
-- Called by:   SqliteFlush, once per address, block and bit.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of backlog_settlement.
-- Changes:     exactly one row per address, block and bit.
INSERT INTO backlog_settlement (address_id, block, bit, settled)
VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (address_id, block, bit) DO UPDATE SET settled = excluded.settled;
