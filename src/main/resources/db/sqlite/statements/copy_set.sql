-- copy_set: which backup a file is of, and how many files that has; 0 in a store.
-- Called by:   BackupSet.filesOf, before a backup is restored.
-- Locks:       none; reads the header of the file.
-- Access path: none.
-- Changes:     nothing.
PRAGMA user_version;
