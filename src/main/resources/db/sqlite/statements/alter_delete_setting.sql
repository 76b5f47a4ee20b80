-- alter_delete_setting: removes a setting.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of setting.
-- Changes:     exactly one row.
DELETE FROM setting WHERE kind = ?1 AND name = ?2;
