-- flush_predecessor: the sequence that stands before the first one of a batch: claims leave no hole.
-- Called by:   SqliteFlush, once per flush that claims.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of slot.
-- Changes:     nothing.
SELECT sequence
FROM slot
WHERE slot = ?1;
