-- keep_placement: notes where a shard of the broker lies. The token of a row that is there stays.
-- Called by:   PostgresqlRingStore.keepPlacement, for each shard of a broker with several databases, at each start.
-- Locks:       the row.
-- Access path: placement_pk.
-- Changes:     at most one row; none if it says the same, or has another token.
INSERT INTO ringtable.placement AS p (shard_id, token, here, store, place)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT ON CONSTRAINT placement_pk DO UPDATE
SET store = excluded.store, place = excluded.place
WHERE p.token = excluded.token AND (p.store, p.place) IS DISTINCT FROM (excluded.store, excluded.place);
