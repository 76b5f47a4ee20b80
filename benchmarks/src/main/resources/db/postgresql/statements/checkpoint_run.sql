-- checkpoint_run: writes all changed pages.
-- Called by:   CheckpointSession, in each measurement.
-- Locks:       none.
-- Access path: none.
-- Changes:     the files of all databases.
CHECKPOINT;
