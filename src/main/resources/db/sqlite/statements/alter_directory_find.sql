-- alter_directory_find: the version of one row of the directory.
-- Called by:   SqliteDirectory.alter, once for each change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of home.
-- Changes:     nothing.
SELECT version FROM home WHERE scope = ?1 AND name = ?2 AND part = ?3;
