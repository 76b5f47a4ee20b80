-- checkpoint_commit: changes one row.
-- Called by:   CommitLoop, all the time during a checkpoint.
-- Locks:       the only row.
-- Access path: the only row.
-- Changes:     one row.
UPDATE dbo.checkpoint_commits SET commits = commits + 1;
