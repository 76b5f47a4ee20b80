-- checkpoint_commit: changes one row.
-- Called by:   CommitLoop, all the time during a checkpoint.
-- Locks:       the write lock.
-- Access path: the only row.
-- Changes:     one row.
UPDATE checkpoint_commits SET commits = commits + 1;
