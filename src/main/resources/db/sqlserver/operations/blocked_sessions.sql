-- blocked_sessions: sessions of this database that wait for somebody, for whom, and what that one is doing.
-- Called by:   people with VIEW SERVER STATE.
-- Locks:       none; reads the server's own lists.
-- Access path: sys.dm_exec_requests, sys.dm_exec_sessions.
-- Changes:     nothing.
-- Look for:    a blocker_program other than ringtable, above all one that sleeps in a transaction (blocker_status).
SELECT r.session_id,
       s.program_name AS program,
       r.wait_type,
       r.wait_time AS waiting_ms,
       r.wait_resource,
       r.blocking_session_id AS blocker,
       b.program_name AS blocker_program,
       b.login_name AS blocker_login,
       b.status AS blocker_status,
       b.open_transaction_count AS blocker_transactions,
       b.last_request_start_time AS blocker_last_request
FROM sys.dm_exec_requests AS r
JOIN sys.dm_exec_sessions AS s ON s.session_id = r.session_id
LEFT JOIN sys.dm_exec_sessions AS b ON b.session_id = r.blocking_session_id
WHERE r.blocking_session_id <> 0 AND r.database_id = DB_ID()
ORDER BY r.wait_time DESC;
