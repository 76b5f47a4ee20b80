-- alter_directory_rows: what a name has in the directory.
-- Called by:   SqliteDirectory.alter, once for each name, after the changes.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of home, a range.
-- Changes:     nothing.
SELECT scope, name, part, kind, shard_id, owner, state, version, next_shard_id
FROM home
WHERE scope = ?1 AND name = ?2
ORDER BY part;
