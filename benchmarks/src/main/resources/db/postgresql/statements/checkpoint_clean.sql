-- checkpoint_clean: writes all changed pages.
-- Called by:   CheckpointSession, before pages are changed.
-- Locks:       none.
-- Access path: none.
-- Changes:     the files of all databases.
CHECKPOINT;
