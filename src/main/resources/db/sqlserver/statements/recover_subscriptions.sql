-- recover_subscriptions: every subscription.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_subscriptions.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_subscriptions @shard_id = ?;
