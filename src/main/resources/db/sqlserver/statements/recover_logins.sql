-- recover_logins: every login by which messages were published.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_logins.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_logins @shard_id = ?;
