-- alter_put_setting: adds a setting, or replaces it.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of setting.
-- Changes:     exactly one row.
INSERT INTO setting (kind, name, document, changed_by, changed_at)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (kind, name) DO UPDATE
SET document = excluded.document, changed_by = excluded.changed_by, changed_at = excluded.changed_at;
