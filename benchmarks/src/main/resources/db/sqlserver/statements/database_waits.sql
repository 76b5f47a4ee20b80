-- database_waits: what each session at work waits for, with the class of a latch; nothing if it runs.
-- Called by:   ServerMeter, 200 times a second.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT CASE
    WHEN r.wait_type IS NULL THEN ''
    WHEN r.wait_type LIKE 'LATCH%' THEN r.wait_type + ' ' + r.wait_resource
    ELSE r.wait_type
END
FROM sys.dm_exec_requests AS r
    JOIN sys.dm_exec_sessions AS s ON s.session_id = r.session_id
WHERE r.database_id = DB_ID() AND s.is_user_process = 1 AND r.session_id <> @@SPID;
