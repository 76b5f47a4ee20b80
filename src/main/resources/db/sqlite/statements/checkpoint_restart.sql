-- checkpoint_restart: copies the rest of the log, so that the next write begins it anew (the file keeps its length).
-- Called by:   SqliteCheckpoints, when the log has grown beyond its bound; writers are kept out by the store.
-- Locks:       the checkpoint lock, then the write lock; waits for readers of the log.
-- Access path: none.
-- Changes:     pages of the file; answers busy, frames in the log, frames copied.
PRAGMA wal_checkpoint(RESTART);
