-- reclaim_count: messages of one block in the ring, and how many references they had at publish.
-- Called by:   SqliteReclaim, once per block.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of slot, a range.
-- Changes:     nothing.
SELECT count(*), coalesce(sum(reference_count), 0)
FROM slot
WHERE slot BETWEEN ?1 AND ?2 AND sequence BETWEEN ?3 AND ?4;
