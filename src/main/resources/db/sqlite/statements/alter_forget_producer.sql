-- alter_forget_producer: removes a producer that nobody has used for long.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of producer.
-- Changes:     exactly one row.
DELETE FROM producer
WHERE producer_id = ?1;
