-- keep_delivery_key: answers the key of the codes in delivery tags; lays down the proposed one if there is none.
-- Called by:   PostgresqlRingStore.keepDeliveryKey, in auto-commit, once when a node begins to serve the shard.
-- Locks:       the row of the key, for a moment, where it is laid down; waits for no flush.
-- Access path: delivery_key_pk.
-- Changes:     one row at the first start of all; nothing later.
SELECT ringtable.keep_delivery_key(p_shard_id => ?, p_proposed => ?);
