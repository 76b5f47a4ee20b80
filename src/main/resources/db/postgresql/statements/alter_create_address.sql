-- alter_create_address: adds an address.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: appends; primary key and name of address.
-- Changes:     exactly one row.
INSERT INTO ringtable.address (shard_id, address_id, name, kind, quota_messages, quota_bytes)
VALUES (?, ?, ?, ?, ?, ?);
