-- recover_producers: every producer.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of producer.
-- Changes:     nothing.
SELECT producer_id, address_id, name, incarnation, last_number, ringtable.ms(used_at), owner
FROM ringtable.producer
WHERE shard_id = ?
ORDER BY producer_id;
