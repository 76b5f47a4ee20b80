-- log_flushes: writes to the log of this database, bytes in each, and how long one takes, since the server started.
-- Called by:   people with VIEW SERVER STATE, twice, some seconds apart: the differences count.
-- Locks:       none; reads the server's own counters.
-- Access path: sys.dm_io_virtual_file_stats, sys.dm_os_performance_counters.
-- Changes:     nothing.
-- Look for:    bytes_per_write far below 61,440 (a log block): batches are small, each message pays most of a write.
--              write_ms_average above 5: the disk of the log, not the broker, bounds synchronous senders.
SELECT f.name AS log_file,
       s.num_of_writes AS writes,
       s.num_of_bytes_written AS bytes,
       s.num_of_bytes_written / CASE WHEN s.num_of_writes = 0 THEN 1 ELSE s.num_of_writes END AS bytes_per_write,
       CAST(s.io_stall_write_ms AS DECIMAL(18, 2))
           / CASE WHEN s.num_of_writes = 0 THEN 1 ELSE s.num_of_writes END AS write_ms_average,
       (SELECT MAX(c.cntr_value)
        FROM sys.dm_os_performance_counters AS c
        WHERE RTRIM(c.counter_name) = 'Log Flushes/sec' AND RTRIM(c.instance_name) = DB_NAME()) AS log_flushes,
       (SELECT MAX(c.cntr_value)
        FROM sys.dm_os_performance_counters AS c
        WHERE RTRIM(c.counter_name) = 'Log Bytes Flushed/sec'
            AND RTRIM(c.instance_name) = DB_NAME()) AS log_bytes_flushed,
       (SELECT d.log_reuse_wait_desc FROM sys.databases AS d WHERE d.name = DB_NAME()) AS log_kept_because_of
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS s
JOIN sys.database_files AS f ON f.file_id = s.file_id
WHERE f.type_desc = 'LOG'
ORDER BY f.name;
