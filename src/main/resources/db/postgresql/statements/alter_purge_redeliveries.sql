-- alter_purge_redeliveries: forgets the failed deliveries of a subscription below a sequence.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: the whole of redelivery, a table of failures only.
-- Changes:     any number of rows.
DELETE FROM ringtable.redelivery
WHERE shard_id = ? AND subscription_id = ? AND sequence < ?;
