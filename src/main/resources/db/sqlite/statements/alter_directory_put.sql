-- alter_directory_put: adds a row of the directory, or replaces it.
-- Called by:   SqliteDirectory.alter, once for each change that removes nothing.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of home.
-- Changes:     exactly one row.
INSERT INTO home (scope, name, part, kind, shard_id, owner, state, version, next_shard_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (scope, name, part) DO UPDATE
SET kind = excluded.kind, shard_id = excluded.shard_id, owner = excluded.owner, state = excluded.state,
    version = excluded.version, next_shard_id = excluded.next_shard_id;
