-- alter_forget_producer: removes a producer that nobody has used for long.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of producer.
-- Changes:     exactly one row.
DELETE FROM ringtable.producer
WHERE shard_id = ? AND producer_id = ?;
