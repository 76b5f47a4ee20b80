-- flush_claim: overwrites a slot behind the gate with a new message.
-- Called by:   SqliteFlush, once per message.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of slot.
-- Changes:     exactly one row per message; any other count rolls the flush back.
--
-- ?14 is the capacity: SQLite computes both numbers in less time than it takes to bind another value.
UPDATE slot
SET sequence = ?1, address_id = ?2, published_at = ?3, priority = ?4, expires_at = ?5, deliver_at = ?6, group_no = ?7,
    reference_count = ?8, pending = ?9, body_id = ?10, body_bytes = ?11, body = ?12,
    login_id = ?13
WHERE slot = ?1 % ?14 AND sequence = ?1 - ?14;
