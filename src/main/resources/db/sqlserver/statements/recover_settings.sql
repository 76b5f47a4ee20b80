-- recover_settings: what administrators have set at run time.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_settings.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_settings @shard_id = ?;
