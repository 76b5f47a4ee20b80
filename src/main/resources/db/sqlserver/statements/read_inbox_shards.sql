-- read_inbox_shards: the shards that have committed rows in the inbox.
-- Called by:   SqlserverReader.readInboxShards, every few milliseconds by a process that has several shards.
-- Locks:       shared, row by row; waits for nobody.
-- Access path: see procedures/read_inbox_shards.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_inbox_shards;
