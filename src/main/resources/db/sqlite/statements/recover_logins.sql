-- recover_logins: every login by which messages were published.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of login.
-- Changes:     nothing.
SELECT login_id, kind, name
FROM login
ORDER BY login_id;
