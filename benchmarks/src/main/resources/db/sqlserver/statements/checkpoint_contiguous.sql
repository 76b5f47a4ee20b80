-- checkpoint_contiguous: changes the pages of the table's first half in place.
-- Called by:   CheckpointSession, before each checkpoint. Parameter: pages.
-- Locks:       the rows that it changes, or the table.
-- Access path: the whole heap.
-- Changes:     half of the rows.
UPDATE dbo.checkpoint_page SET changes = changes + 1 WHERE number <= ? / 2;
