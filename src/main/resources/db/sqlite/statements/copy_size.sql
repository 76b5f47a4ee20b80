-- copy_size: pages that a copy of the snapshot will have.
-- Called by:   SqliteSnapshot, before it copies.
-- Locks:       none; reads one snapshot of the log.
-- Access path: none.
-- Changes:     nothing.
PRAGMA page_count;
