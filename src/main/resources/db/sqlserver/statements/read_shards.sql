-- read_shards: the numbers of the shards that have a ring in this database.
-- Called by:   SqlserverReader.readShards, for each shard of a broker with several, before it is taken.
-- Locks:       none that outlasts a row.
-- Access path: shard_pk, from the given number on: a few rows.
-- Changes:     nothing.
SELECT h.shard_id FROM ringtable.shard AS h WHERE h.shard_id >= ? ORDER BY h.shard_id;
