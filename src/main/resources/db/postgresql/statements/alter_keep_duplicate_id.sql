-- alter_keep_duplicate_id: keeps an id that came with a message of an address that moves here.
-- Called by:   PostgresqlCatalog, once per id, in batches.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: appends; duplicate_id_pk.
-- Changes:     exactly one row; a place that is taken is refused.
INSERT INTO ringtable.duplicate_id (shard_id, address_id, position, ordinal, id)
VALUES (?, ?, ?, ?, ?);
