-- checkpoints: pages that checkpoints and the lazy writer wrote, page splits, and what the log wrote beside them.
-- Called by:   people with VIEW SERVER STATE, twice, some seconds apart: the differences count, of .../sec too.
-- Locks:       none; reads the server's own counters.
-- Access path: sys.dm_os_performance_counters.
-- Changes:     nothing.
-- Look for:    flushes that are slow while Checkpoint or Background writer pages rise: both write to one disk. Lazy
--              writes or free list stalls: the server lacks memory. Page splits by us: page_contention names the index.
--              Log Growths: the log is too small, or nobody backs it up; every flush waits while it grows.
SELECT RTRIM(c.object_name) AS counted_for,
       RTRIM(c.instance_name) AS database_name, -- blank for what the whole server does
       RTRIM(c.counter_name) AS counter,
       c.cntr_value AS total
FROM sys.dm_os_performance_counters AS c
WHERE (c.object_name LIKE '%:Buffer Manager%'
       AND c.counter_name IN ('Background writer pages/sec', 'Checkpoint pages/sec', 'Free list stalls/sec',
                              'Lazy writes/sec', 'Page writes/sec'))
   OR (c.object_name LIKE '%:Access Methods%'
       AND c.counter_name IN ('Page Splits/sec', 'Pages Allocated/sec'))
   OR (c.object_name LIKE '%:Databases%' AND c.instance_name = DB_NAME()
       AND c.counter_name IN ('Log Bytes Flushed/sec', 'Log Flush Wait Time', 'Log Flush Waits/sec',
                              'Log Flushes/sec', 'Log Growths'))
ORDER BY c.object_name, c.counter_name;
