-- recover_logins: every login by which messages were published.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of login.
-- Changes:     nothing.
SELECT login_id, kind, name
FROM ringtable.login
WHERE shard_id = ?
ORDER BY login_id;
