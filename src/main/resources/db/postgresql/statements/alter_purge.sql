-- alter_purge: a subscription owes nothing below a sequence.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of subscription.
-- Changes:     exactly one row.
UPDATE ringtable.subscription
SET from_sequence = ?
WHERE shard_id = ? AND subscription_id = ?;
