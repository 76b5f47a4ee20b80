-- alter_delete_redeliveries: forgets the failed deliveries of an address's subscriptions, before these go.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: the whole of redelivery, a table of failures only.
-- Changes:     any number of rows.
DELETE FROM ringtable.redelivery AS r
USING ringtable.subscription AS s
WHERE s.shard_id = ? AND s.address_id = ? AND r.shard_id = s.shard_id AND r.subscription_id = s.subscription_id;
