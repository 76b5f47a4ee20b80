-- reclaim_grown_read: the large bodies that have stood in a block of slots.
-- Called by:   SqliteGrowth, once per block that is cleared and has no large body now.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of growth.
-- Changes:     nothing.
SELECT grown
FROM growth
WHERE block = ?1;
