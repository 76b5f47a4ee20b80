-- recover_redeliveries: every failed delivery.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of redelivery.
-- Changes:     nothing.
SELECT sequence, subscription_id, count, ringtable.ms(not_before)
FROM ringtable.redelivery
WHERE shard_id = ?
ORDER BY sequence, subscription_id;
