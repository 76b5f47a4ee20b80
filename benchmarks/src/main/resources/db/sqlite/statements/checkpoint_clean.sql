-- checkpoint_clean: writes all changed pages, and empties the log.
-- Called by:   CheckpointSession, before pages are changed.
-- Locks:       the checkpoint's lock, and the write lock.
-- Access path: none.
-- Changes:     the file; the log has no frames.
PRAGMA wal_checkpoint(TRUNCATE);
