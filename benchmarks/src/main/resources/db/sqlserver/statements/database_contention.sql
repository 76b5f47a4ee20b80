-- database_contention: how much threads of the server have contended so far, by latch, spinlock and memory object.
-- Called by:   ServerMeter, at the ends of a run.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
--
-- All databases of the server count. A latch counts milliseconds; a spinlock counts how often a thread gave up for a
-- moment; a memory object counts the tasks that waited for one of its kind.
SELECT 'LATCH' AS kind, l.latch_class COLLATE DATABASE_DEFAULT AS name, l.wait_time_ms AS amount
FROM sys.dm_os_latch_stats AS l
UNION ALL
SELECT 'SPINLOCK', p.name COLLATE DATABASE_DEFAULT, p.backoffs
FROM sys.dm_os_spinlock_stats AS p
UNION ALL
SELECT 'MEMORY_OBJECT', m.type COLLATE DATABASE_DEFAULT, SUM(CAST(m.waiting_tasks_count AS bigint))
FROM sys.dm_os_memory_objects AS m
GROUP BY m.type;
