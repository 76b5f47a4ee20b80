-- flush_redelivery_over: forgets the failed deliveries of a message that is over.
-- Called by:   SqliteFlush, once per redelivery with the count 0.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of redelivery.
-- Changes:     one row, or none if there was none.
DELETE FROM redelivery
WHERE sequence = ?1 AND subscription_id = ?2;
