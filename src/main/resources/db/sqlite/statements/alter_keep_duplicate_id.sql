-- alter_keep_duplicate_id: keeps an id that came with a message of an address that moves here.
-- Called by:   SqliteCatalog, once per id.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of duplicate_id.
-- Changes:     exactly one row; a place that is taken is refused.
INSERT INTO duplicate_id (address_id, position, ordinal, id)
VALUES (?1, ?2, ?3, ?4);
