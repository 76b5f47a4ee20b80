-- flush_producer: raises the number that a producer has come to.
-- Called by:   SqliteFlush, once per producer with messages in the batch.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of producer.
-- Changes:     exactly one row; a number that would go back changes none, which aborts the transaction.
UPDATE producer
SET last_number = ?2, used_at = ?3
WHERE producer_id = ?1 AND last_number <= ?2;
