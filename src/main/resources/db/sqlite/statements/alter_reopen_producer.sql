-- alter_reopen_producer: gives a producer its incarnation, which fences the earlier ones, and its owner.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of producer.
-- Changes:     exactly one row.
UPDATE producer
SET incarnation = ?2, used_at = ?3, owner = ?4
WHERE producer_id = ?1;
