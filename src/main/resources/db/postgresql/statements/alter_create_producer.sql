-- alter_create_producer: adds a producer.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: appends; keys of producer.
-- Changes:     exactly one row.
INSERT INTO ringtable.producer (shard_id, producer_id, address_id, incarnation, last_number, name, used_at, owner)
VALUES (?, ?, ?, ?, ?, ?, to_timestamp(?::bigint / 1000.0), ?);
