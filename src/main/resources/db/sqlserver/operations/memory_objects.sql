-- memory_objects: memory objects on which threads collide, and whether the server has split them by node or CPU.
-- Called by:   people with VIEW SERVER STATE.
-- Locks:       none; reads the server's own lists.
-- Access path: sys.dm_os_memory_objects, sys.dm_os_wait_stats.
-- Changes:     nothing.
-- Look for:    CMEMTHREAD waits that grow together with contention_factor of one type: since 2016 the server splits
--              such an object by itself, first by node, then by CPU; one that collides and stays 'not split' is
--              worth a support call.
SELECT TOP (20) m.type,
       CASE m.partition_type WHEN 1 THEN 'not split' WHEN 2 THEN 'by node' WHEN 3 THEN 'by CPU' ELSE 'cannot be' END
           AS split,
       COUNT(*) AS objects,
       SUM(CAST(m.pages_in_bytes AS BIGINT)) AS bytes,
       SUM(CAST(m.waiting_tasks_count AS BIGINT)) AS waits,
       MAX(m.contention_factor) AS contention_factor,
       (SELECT w.wait_time_ms FROM sys.dm_os_wait_stats AS w WHERE w.wait_type = 'CMEMTHREAD')
           AS cmemthread_ms_of_the_server
FROM sys.dm_os_memory_objects AS m
GROUP BY m.type, m.partition_type
ORDER BY MAX(m.contention_factor) DESC, SUM(CAST(m.waiting_tasks_count AS BIGINT)) DESC;
