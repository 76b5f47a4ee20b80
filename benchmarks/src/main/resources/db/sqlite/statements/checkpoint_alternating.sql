-- checkpoint_alternating: changes every second page of the table in place.
-- Called by:   CheckpointSession, before each checkpoint. Parameter: pages.
-- Locks:       the write lock.
-- Access path: the whole table.
-- Changes:     half of the rows.
UPDATE checkpoint_page SET changes = changes + 1 WHERE number <= ?1 AND number % 2 = 0;
