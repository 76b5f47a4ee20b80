-- checkpoint_counter: the row that another session changes during a checkpoint.
-- Called by:   CheckpointSubject, once.
-- Locks:       the write lock.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE checkpoint_commits AS SELECT 0 AS commits;
