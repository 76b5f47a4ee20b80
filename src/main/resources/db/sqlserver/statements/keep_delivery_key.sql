-- keep_delivery_key: answers the key of the codes in delivery tags; lays down the proposed one if there is none.
-- Called by:   SqlserverRingStore.keepDeliveryKey, in auto-commit, once when a node begins to serve the shard.
-- Locks:       the key of its row, for a moment, where it is laid down; waits for no flush.
-- Access path: see procedures/keep_delivery_key.sql.
-- Changes:     one row at the first start of all; nothing later.
EXECUTE ringtable.keep_delivery_key @shard_id = ?, @proposed = ?;
