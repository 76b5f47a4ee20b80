-- alter_create_producer: stores a new producer.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of producer.
-- Changes:     exactly one row; a name that its address has is refused.
INSERT INTO producer (producer_id, address_id, name, incarnation, last_number, used_at, owner)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);
