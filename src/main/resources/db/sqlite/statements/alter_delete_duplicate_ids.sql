-- alter_delete_duplicate_ids: forgets the ids that messages of an address came with, before it goes.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of duplicate_id.
-- Changes:     any number of rows.
DELETE FROM duplicate_id
WHERE address_id = ?1;
