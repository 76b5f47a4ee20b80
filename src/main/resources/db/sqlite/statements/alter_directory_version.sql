-- alter_directory_version: the version of the directory.
-- Called by:   SqliteDirectory.alter, first of all.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of directory.
-- Changes:     nothing.
SELECT version FROM directory WHERE directory_id = 0;
