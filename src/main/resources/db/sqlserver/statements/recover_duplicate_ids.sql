-- recover_duplicate_ids: every id that is kept.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_duplicate_ids.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_duplicate_ids @shard_id = ?;
