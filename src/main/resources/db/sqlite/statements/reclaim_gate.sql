-- reclaim_gate: raises the gate.
-- Called by:   SqliteReclaim, last.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of shard.
-- Changes:     exactly one row.
UPDATE shard
SET gate = ?1
WHERE shard_id = 0;
