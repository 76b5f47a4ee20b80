-- file_stalls: reads and writes of each data and log file of this database, bytes in each, and how long one takes.
-- Called by:   people with VIEW SERVER STATE, twice, some seconds apart: the differences count.
-- Locks:       none; reads the server's own counters.
-- Access path: sys.dm_io_virtual_file_stats.
-- Changes:     nothing.
-- Look for:    write_ms_average of the log that rises with the writes of a data file: both share a disk, and every
--              checkpoint delays the flushes. bytes_per_write of a data file near 8,192: the pages that checkpoints
--              write have no neighbours; far above it, they have. Near 61,440 for the log: its blocks are full.
SELECT f.type_desc AS kind,
       f.name AS file_name,
       s.num_of_reads AS reads,
       s.num_of_bytes_read / NULLIF(s.num_of_reads, 0) AS bytes_per_read,
       CAST(s.io_stall_read_ms AS DECIMAL(18, 2)) / NULLIF(s.num_of_reads, 0) AS read_ms_average,
       s.num_of_writes AS writes,
       s.num_of_bytes_written AS bytes,
       s.num_of_bytes_written / NULLIF(s.num_of_writes, 0) AS bytes_per_write,
       CAST(s.io_stall_write_ms AS DECIMAL(18, 2)) / NULLIF(s.num_of_writes, 0) AS write_ms_average,
       s.size_on_disk_bytes AS file_bytes
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS s
JOIN sys.database_files AS f ON f.file_id = s.file_id
ORDER BY f.type_desc, s.io_stall_write_ms DESC;
