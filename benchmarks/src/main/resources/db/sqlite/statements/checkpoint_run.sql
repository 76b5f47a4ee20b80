-- checkpoint_run: writes all changed pages. Other sessions commit meanwhile, so the log cannot begin anew.
-- Called by:   CheckpointSession, in each measurement.
-- Locks:       the checkpoint's lock.
-- Access path: none.
-- Changes:     the file.
PRAGMA wal_checkpoint(PASSIVE);
