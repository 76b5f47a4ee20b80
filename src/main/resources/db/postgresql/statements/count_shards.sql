-- count_shards: how many shards the database has, by the highest number of one.
-- Called by:   PostgresqlRingStore, once at each start, when a shard has been taken.
-- Locks:       none that outlasts a row.
-- Access path: the highest key of shard.
-- Changes:     nothing.
SELECT COALESCE(MAX(h.shard_id), 0) + 1 FROM ringtable.shard AS h WHERE h.shard_id >= ?;
