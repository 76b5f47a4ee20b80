-- alter_unsubscribe: removes a subscription: it owes nothing from then on.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of subscription.
-- Changes:     exactly one row.
DELETE FROM ringtable.subscription
WHERE shard_id = ? AND subscription_id = ?;
