-- flush_dispatch_bound: raises the bound of dispatch that every following subscription shares.
-- Called by:   SqliteFlush, now and then.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of shard.
-- Changes:     exactly one row.
UPDATE shard
SET dispatch_bound = ?1
WHERE shard_id = 0;
