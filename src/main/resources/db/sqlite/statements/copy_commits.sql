-- copy_commits: a number that is another one when somebody else has committed since this connection asked before.
-- Called by:   SqliteSnapshot.commits, before and after the snapshots of all files of a store.
-- Locks:       none; looks at the log of now.
-- Access path: none.
-- Changes:     nothing.
PRAGMA data_version;
