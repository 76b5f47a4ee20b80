-- read_directory: what has changed in the directory since a version, or all of it after a row was removed.
-- Called by:   SqlserverReader.readDirectory, at a start with several shards, and after another node's change.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_directory.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_directory @since = ?;
