-- alter_delete_producers: removes the producers of an address, before it goes.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: producer_name_is_unique.
-- Changes:     any number of rows.
DELETE FROM ringtable.producer
WHERE shard_id = ? AND address_id = ?;
