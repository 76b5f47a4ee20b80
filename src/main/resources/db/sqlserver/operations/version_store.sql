-- version_store: how much of tempdb holds old versions of rows, and which transaction keeps them.
-- Called by:   people with VIEW SERVER STATE, where READ_COMMITTED_SNAPSHOT is on.
-- Locks:       none; reads the server's own lists.
-- Access path: sys.dm_tran_version_store_space_usage, sys.dm_tran_active_snapshot_database_transactions.
-- Changes:     nothing.
-- Look for:    reserved_kb that grows: each claim leaves the slot as it was there until the oldest reader has ended.
SELECT v.reserved_space_kb AS reserved_kb,
       t.session_id AS oldest_session,
       t.elapsed_time_seconds AS oldest_open_seconds,
       s.program_name,
       s.login_name
FROM sys.dm_tran_version_store_space_usage AS v
OUTER APPLY (SELECT TOP (1) a.session_id, a.elapsed_time_seconds
             FROM sys.dm_tran_active_snapshot_database_transactions AS a
             ORDER BY a.elapsed_time_seconds DESC) AS t
LEFT JOIN sys.dm_exec_sessions AS s ON s.session_id = t.session_id
WHERE v.database_id = DB_ID();
