-- alter_delete_replays: removes the replays of an address's subscriptions, before these go.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: the shard's range of replay, which is short, or its primary key per subscription.
-- Changes:     any number of rows.
DELETE FROM ringtable.replay AS r
USING ringtable.subscription AS s
WHERE s.shard_id = ? AND s.address_id = ? AND r.shard_id = s.shard_id AND r.subscription_id = s.subscription_id;
