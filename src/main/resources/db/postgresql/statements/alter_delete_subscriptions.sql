-- alter_delete_subscriptions: removes the subscriptions of an address: its messages are owed by nobody from then on.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: subscription_bit_is_held_once.
-- Changes:     any number of rows.
DELETE FROM ringtable.subscription
WHERE shard_id = ? AND address_id = ?;
