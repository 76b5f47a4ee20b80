-- recover_replays: how far each subscription that began in the past has come.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_replays.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_replays @shard_id = ?;
