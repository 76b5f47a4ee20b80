-- alter_delete_address: removes an address, after its subscriptions.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of address.
-- Changes:     exactly one row.
DELETE FROM ringtable.address
WHERE shard_id = ? AND address_id = ?;
