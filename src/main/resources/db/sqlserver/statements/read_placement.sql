-- read_placement: where the shards of the broker lie, as this database knows it.
-- Called by:   SqlserverReader.readPlacement, for each shard of a broker with several, before it is taken.
-- Locks:       none that outlasts a row.
-- Access path: placement_pk, from the given number on: a few rows.
-- Changes:     nothing.
SELECT p.shard_id, p.token, p.here, p.store, p.place
FROM ringtable.placement AS p
WHERE p.shard_id >= ?
ORDER BY p.shard_id;
