-- alter_delete_duplicate_ids: forgets the ids that messages of an address came with, before it goes.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: duplicate_id_pk.
-- Changes:     any number of rows.
DELETE FROM ringtable.duplicate_id
WHERE shard_id = ? AND address_id = ?;
