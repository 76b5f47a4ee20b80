-- read_directory: what has changed in the directory since a version, or all of it after a row was removed.
-- Called by:   SqliteReader.readDirectory, at a start with several shards.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of directory; the whole of home.
-- Changes:     nothing.
SELECT d.version, ?1 < d.removed_at, h.scope, h.name, h.part, h.kind, h.shard_id, h.owner, h.state, h.version,
       h.next_shard_id
FROM directory AS d
LEFT JOIN home AS h ON ?1 < d.removed_at OR h.version > ?1
WHERE d.directory_id = 0;
