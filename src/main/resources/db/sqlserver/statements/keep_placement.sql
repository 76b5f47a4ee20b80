-- keep_placement: notes where a shard of the broker lies. The token of a row that is there stays.
-- Called by:   SqlserverRingStore.keepPlacement, for each shard of a broker with several databases, at each start.
-- Locks:       the row.
-- Access path: placement_pk.
-- Changes:     at most one row.
EXECUTE ringtable.keep_placement @shard_id = ?, @token = ?, @here = ?, @store = ?, @place = ?;
