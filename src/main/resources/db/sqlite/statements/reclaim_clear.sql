-- reclaim_clear: deletes the slots of a block, so that SQLite merges their pages.
-- Called by:   SqliteGrowth, before reclaim_lay.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of slot, a range.
-- Changes:     exactly one row per slot of the block.
DELETE FROM slot
WHERE slot BETWEEN ?1 AND ?2;
