-- read_inbox_shards: the shards that have committed rows in the inbox.
-- Called by:   PostgresqlReader.readInboxShards, every few milliseconds by a process that has several shards.
-- Locks:       none.
-- Access path: inbox_pk, see the procedure.
-- Changes:     nothing.
SELECT shard_id FROM ringtable.read_inbox_shards();
