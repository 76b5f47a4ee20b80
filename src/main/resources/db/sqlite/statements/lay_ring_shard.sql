-- lay_ring_shard: notes that the ring is laid, and from which id on the shard gives its ids.
-- Called by:   SqliteWriter.lay, in the transaction of lay_ring_slots.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of shard.
-- Changes:     exactly one row.
UPDATE shard
SET capacity = ?1, next_id = ?2
WHERE shard_id = 0 AND capacity = 0;
