-- checkpoint_contiguous: changes the pages of the table's first half in place.
-- Called by:   CheckpointSession, before each checkpoint. Parameter: pages.
-- Locks:       the write lock.
-- Access path: the whole table.
-- Changes:     half of the rows.
UPDATE checkpoint_page SET changes = changes + 1 WHERE number <= ?1 / 2;
