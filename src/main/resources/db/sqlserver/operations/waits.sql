-- waits: what the broker's sessions have waited for, and the latches and spinlocks of the server that queues wear out.
-- Called by:   people with VIEW SERVER STATE, twice, some seconds apart: the differences count.
-- Locks:       none; reads the server's own counters.
-- Access path: sys.dm_exec_session_wait_stats of sessions named ringtable; sys.dm_os_latch_stats, dm_os_spinlock_stats.
-- Changes:     nothing.
-- Look for:    WRITELOG first: as expected, one per flush. PAGELATCH_EX from us: page_contention. LCK_M_U or LCK_M_X
--              for long: somebody else locks our tables. HADR_SYNC_COMMIT: the synchronous secondary is the bound.
--              LOGCACHE_ACCESS, LOGFLUSHQ spinning: other databases' sessions or many shards contend for the log.
SELECT 'wait' AS what,
       w.wait_type COLLATE DATABASE_DEFAULT AS name,
       SUM(w.waiting_tasks_count) AS times,
       SUM(w.wait_time_ms) AS total_ms,
       SUM(w.wait_time_ms) / CASE WHEN SUM(w.waiting_tasks_count) = 0 THEN 1 ELSE SUM(w.waiting_tasks_count) END
           AS each_ms
FROM sys.dm_exec_session_wait_stats AS w
JOIN sys.dm_exec_sessions AS s ON s.session_id = w.session_id
WHERE s.program_name = 'ringtable' AND s.database_id = DB_ID()
GROUP BY w.wait_type
UNION ALL
SELECT 'latch', l.latch_class COLLATE DATABASE_DEFAULT, l.waiting_requests_count, l.wait_time_ms,
       l.wait_time_ms / CASE WHEN l.waiting_requests_count = 0 THEN 1 ELSE l.waiting_requests_count END
FROM sys.dm_os_latch_stats AS l
WHERE l.waiting_requests_count > 0 AND l.latch_class IN ('BUFFER', 'LOG_MANAGER', 'ACCESS_METHODS_HOBT_COUNT')
UNION ALL
SELECT 'spinlock', p.name COLLATE DATABASE_DEFAULT, p.backoffs, p.sleep_time, p.spins_per_collision
FROM sys.dm_os_spinlock_stats AS p
WHERE p.name IN ('LOGCACHE_ACCESS', 'LOGFLUSHQ', 'LOGLC', 'LOCK_HASH', 'XDESMGR', 'SOS_OBJECT_STORE')
ORDER BY what, total_ms DESC;
