-- read_directory: what has changed in the directory since a version, or all of it after a row was removed.
-- Called by:   PostgresqlReader.readDirectory, at a start with several shards, and after another node's change.
-- Locks:       none.
-- Access path: directory_pk; the whole of home.
-- Changes:     nothing.
SELECT d.version, s.since < d.removed_at, h.scope, h.name, h.part, h.kind, h.shard_id, h.owner, h.state, h.version,
       h.next_shard_id
FROM ringtable.directory AS d
CROSS JOIN (SELECT CAST(? AS bigint) AS since) AS s
LEFT JOIN ringtable.home AS h ON s.since < d.removed_at OR h.version > s.since
WHERE d.directory_id = 0;
