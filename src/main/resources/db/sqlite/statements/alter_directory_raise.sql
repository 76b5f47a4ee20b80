-- alter_directory_raise: gives the directory its next version.
-- Called by:   SqliteDirectory.alter, with the changes; ?2 is 1 if one of them removes a row.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of directory.
-- Changes:     exactly one row.
UPDATE directory
SET version = ?1, removed_at = CASE ?2 WHEN 1 THEN ?1 ELSE removed_at END
WHERE directory_id = 0;
