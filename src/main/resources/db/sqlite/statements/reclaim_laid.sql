-- reclaim_laid: a block of slots has been laid anew.
-- Called by:   SqliteGrowth, last.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of growth.
-- Changes:     exactly one row.
DELETE FROM growth
WHERE block = ?1;
