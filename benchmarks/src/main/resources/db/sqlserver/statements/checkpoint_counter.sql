-- checkpoint_counter: the row that another session changes during a checkpoint.
-- Called by:   CheckpointSubject, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
SELECT 0 AS commits INTO dbo.checkpoint_commits;
