-- flush_redelivery: counts a failed delivery.
-- Called by:   SqliteFlush, once per failed delivery.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of redelivery.
-- Changes:     exactly one row.
INSERT INTO redelivery (sequence, subscription_id, count, not_before)
VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (sequence, subscription_id) DO UPDATE SET count = excluded.count, not_before = excluded.not_before;
