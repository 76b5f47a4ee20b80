-- checkpoint_passive: copies what it can of the log into the file without making anybody wait.
-- Called by:   SqliteCheckpoints, often.
-- Locks:       the checkpoint lock; waits for nobody.
-- Access path: none.
-- Changes:     pages of the file; answers busy, frames in the log, frames copied.
PRAGMA wal_checkpoint(PASSIVE);
