-- database_waits: what each session at work waits for; nothing if it runs.
-- Called by:   ServerMeter, 200 times a second.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT coalesce(wait_event_type || ':' || wait_event, '')
FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state = 'active';
