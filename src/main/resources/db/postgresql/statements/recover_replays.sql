-- recover_replays: how far each subscription that began in the past has come.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of replay.
-- Changes:     nothing.
SELECT subscription_id, position, finished
FROM ringtable.replay
WHERE shard_id = ?
ORDER BY subscription_id;
