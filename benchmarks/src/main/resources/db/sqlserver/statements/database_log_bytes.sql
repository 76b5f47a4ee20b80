-- database_log_bytes: bytes written to the log of the database.
-- Called by:   ServerLogMeter, at the ends of a measurement, with VIEW SERVER STATE.
-- Locks:       none.
-- Access path: sys.dm_io_virtual_file_stats.
-- Changes:     nothing.
SELECT SUM(s.num_of_bytes_written)
FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS s
JOIN sys.database_files AS f ON f.file_id = s.file_id
WHERE f.type_desc = 'LOG';
