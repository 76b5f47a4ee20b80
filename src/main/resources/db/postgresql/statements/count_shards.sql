-- count_shards: how many shards the broker of the database has, by the highest number of one.
-- Called by:   PostgresqlRingStore, once at each start, when a shard has been taken.
-- Locks:       none that outlasts a row.
-- Access path: the highest keys of shard and placement.
-- Changes:     nothing.
SELECT COALESCE(MAX(k.shard_id), 0) + 1
FROM (SELECT h.shard_id FROM ringtable.shard AS h UNION ALL SELECT p.shard_id FROM ringtable.placement AS p) AS k
WHERE k.shard_id >= ?;
