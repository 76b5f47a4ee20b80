-- recover_duplicate_ids: every id that is kept.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of duplicate_id.
-- Changes:     nothing.
SELECT address_id, position, ordinal, id
FROM ringtable.duplicate_id
WHERE shard_id = ?
ORDER BY address_id, position;
