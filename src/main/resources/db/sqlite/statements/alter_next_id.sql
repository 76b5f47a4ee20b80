-- alter_next_id: notes that an id has been given.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of shard.
-- Changes:     exactly one row.
UPDATE shard
SET next_id = max(next_id, ?1 + 1)
WHERE shard_id = 0;
