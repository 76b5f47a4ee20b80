-- alter_reopen_producer: gives a producer its incarnation, which fences the earlier ones, and its owner.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of producer.
-- Changes:     exactly one row.
UPDATE ringtable.producer
SET incarnation = ?, used_at = to_timestamp(?::bigint / 1000.0), owner = ?
WHERE shard_id = ? AND producer_id = ?;
