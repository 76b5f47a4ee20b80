-- alter_directory_remove: removes a row of the directory.
-- Called by:   SqliteDirectory.alter, once for each change that removes one.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of home.
-- Changes:     exactly one row.
DELETE FROM home WHERE scope = ?1 AND name = ?2 AND part = ?3;
