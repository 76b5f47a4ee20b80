-- recover_replays: how far each subscription that began in the past has come.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of replay.
-- Changes:     nothing.
SELECT subscription_id, position, finished
FROM replay
ORDER BY subscription_id;
