-- reclaim_large: large bodies in a block of slots.
-- Called by:   SqliteGrowth, for blocks that were claimed before this process began.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of slot, a range.
-- Changes:     nothing.
SELECT count(*)
FROM slot
WHERE slot BETWEEN ?1 AND ?2 AND body_id = 0 AND body_bytes > ?3;
