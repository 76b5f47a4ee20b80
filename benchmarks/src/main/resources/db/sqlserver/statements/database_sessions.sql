-- database_sessions: how many sessions the database has beside this one.
-- Called by:   ServerMeter, after a run, until there are none.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT COUNT(*)
FROM sys.dm_exec_sessions
WHERE database_id = DB_ID() AND is_user_process = 1 AND session_id <> @@SPID;
