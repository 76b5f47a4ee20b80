-- database_counts: what the server has counted so far: this database's files, and pages and checkpoints of all.
-- Called by:   ServerMeter, at the ends of a run.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
--
-- A write to the log goes through the disk's cache, so it is a sync too. The server writes past the system's cache, so
-- its own writes are those of the disk.
SELECT
    SUM(CASE WHEN f.type = 1 THEN s.num_of_writes ELSE 0 END) AS log_writes,
    SUM(CASE WHEN f.type = 1 THEN s.num_of_writes ELSE 0 END) AS log_syncs,
    SUM(CASE WHEN f.type = 1 THEN s.num_of_bytes_written ELSE 0 END) AS log_bytes,
    SUM(CASE WHEN f.type = 0 THEN s.num_of_writes ELSE 0 END) AS data_writes,
    SUM(s.num_of_writes) AS device_writes,
    SUM(s.num_of_bytes_written) AS device_bytes,
    MAX(c.checkpoint_pages) AS checkpoint_writes,
    MAX(c.checkpoint_pages) * 8192 AS checkpoint_bytes,
    MAX(c.pages_allocated) AS pages_allocated,
    MAX(c.page_splits) AS page_splits
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS s
    JOIN sys.database_files AS f ON f.file_id = s.file_id
    CROSS JOIN (
        SELECT
            MAX(CASE WHEN p.counter_name = 'Checkpoint pages/sec' THEN p.cntr_value END) AS checkpoint_pages,
            MAX(CASE WHEN p.counter_name = 'Pages Allocated/sec' THEN p.cntr_value END) AS pages_allocated,
            MAX(CASE WHEN p.counter_name = 'Page Splits/sec' THEN p.cntr_value END) AS page_splits
        FROM sys.dm_os_performance_counters AS p
        WHERE p.object_name LIKE '%Buffer Manager%' OR p.object_name LIKE '%Access Methods%') AS c;
