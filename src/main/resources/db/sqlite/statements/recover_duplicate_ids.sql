-- recover_duplicate_ids: every id that is kept.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of duplicate_id.
-- Changes:     nothing.
SELECT address_id, position, ordinal, id
FROM duplicate_id
ORDER BY address_id, position;
