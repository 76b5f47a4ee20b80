-- waits: what the broker's sessions have waited for; waits, latches and spinlocks of the server that queues wear out.
-- Called by:   people with VIEW SERVER STATE, twice, some seconds apart: the differences count.
-- Locks:       none; reads the server's own counters.
-- Access path: sys.dm_exec_session_wait_stats of sessions named ringtable; sys.dm_os_wait_, latch_ and spinlock_stats.
-- Changes:     nothing.
-- Look for:    WRITELOG first: as expected, one per flush. PAGELATCH_EX from us: page_contention. LCK_M_U or LCK_M_X
--              for long: somebody else locks our tables. HADR_SYNC_COMMIT: the synchronous secondary is the bound.
--              METADATA_SEQUENCE_GENERATOR: sessions queue for a sequence object, which no statement of ours uses.
--              ACCESS_METHODS_HOBT_VIRTUAL_ROOT: the root of a B-tree that grows and shrinks is split again and again.
--              DBTABLE spinning: IDENTITY values of a memory-optimized table. LOGCACHE_ACCESS, LOGFLUSHQ, XDESMGR
--              spinning: other databases' sessions or many shards contend for the log. CMEMTHREAD: memory_objects.
--              XTP waits: somebody's memory-optimized tables; WAIT_XTP_OFFLINE_CKPT_LOG_IO grows at rest, ignore it.
SELECT 'wait of the broker' AS what,
       w.wait_type COLLATE DATABASE_DEFAULT AS name,
       SUM(w.waiting_tasks_count) AS times,
       SUM(w.wait_time_ms) AS total_ms,
       CAST(SUM(w.wait_time_ms) AS DECIMAL(18, 2)) / NULLIF(SUM(w.waiting_tasks_count), 0) AS each_ms,
       CAST(NULL AS BIGINT) AS spins
FROM sys.dm_exec_session_wait_stats AS w
JOIN sys.dm_exec_sessions AS s ON s.session_id = w.session_id
WHERE s.program_name = 'ringtable' AND s.database_id = DB_ID()
GROUP BY w.wait_type
UNION ALL
SELECT 'wait of the server', o.wait_type COLLATE DATABASE_DEFAULT, o.waiting_tasks_count, o.wait_time_ms,
       CAST(o.wait_time_ms AS DECIMAL(18, 2)) / NULLIF(o.waiting_tasks_count, 0), NULL
FROM sys.dm_os_wait_stats AS o
WHERE o.waiting_tasks_count > 0
  AND (o.wait_type IN ('WRITELOG', 'LOGBUFFER', 'CMEMTHREAD', 'HADR_SYNC_COMMIT')
       OR o.wait_type LIKE 'PAGELATCH[_]%' OR o.wait_type LIKE 'LATCH[_]%' OR o.wait_type LIKE '%XTP%')
UNION ALL
SELECT 'latch', l.latch_class COLLATE DATABASE_DEFAULT, l.waiting_requests_count, l.wait_time_ms,
       CAST(l.wait_time_ms AS DECIMAL(18, 2)) / NULLIF(l.waiting_requests_count, 0), NULL
FROM sys.dm_os_latch_stats AS l
WHERE l.waiting_requests_count > 0
UNION ALL
SELECT 'spinlock', p.name COLLATE DATABASE_DEFAULT, p.backoffs, p.sleep_time, NULL, p.spins
FROM sys.dm_os_spinlock_stats AS p
WHERE p.backoffs > 0
ORDER BY what, total_ms DESC, spins DESC;
