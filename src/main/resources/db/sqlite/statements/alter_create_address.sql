-- alter_create_address: stores a new address.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of address.
-- Changes:     exactly one row; a name that is taken in its kind is refused.
INSERT INTO address (address_id, name, kind, quota_messages, quota_bytes)
VALUES (?1, ?2, ?3, ?4, ?5);
