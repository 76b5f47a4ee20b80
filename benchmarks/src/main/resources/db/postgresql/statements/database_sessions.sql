-- database_sessions: how many sessions the database has beside this one.
-- Called by:   ServerMeter, after a run, until there are none.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT count(*)
FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid();
