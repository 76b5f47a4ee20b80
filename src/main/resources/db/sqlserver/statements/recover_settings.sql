-- recover_settings: what administrators have set at run time.
-- Called by:   SqlserverRecovery, once per ownership; SqlserverReader.readSettings, by nodes without shard 0.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_settings.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_settings @shard_id = ?;
