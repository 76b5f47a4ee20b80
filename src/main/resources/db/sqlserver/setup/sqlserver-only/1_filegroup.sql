-- A filegroup of its own for the ring, on a volume apart from the log. Run by an administrator, before the first
-- start, in the database that is to hold Ringtable and nothing else; change the name 'ringtable', the paths and the
-- sizes.
--
-- Sizes.  Ring: capacity / 4 pages of 8 KB (65,536 slots: 128 MB; 1,048,576: 2 GB), preallocated, never grows.
--         Backlog, overflow and indexes grow with the messages owed to slow subscribers. Log: at least the volume
--         written between two log backups, and never less than 1 GB. Fixed growth, no percentages; a log that has
--         grown in small steps has too many virtual log files.
-- Cache.  The ring should stay in the buffer pool as a whole.

ALTER DATABASE ringtable ADD FILEGROUP ring;
GO
ALTER DATABASE ringtable ADD FILE (
    NAME = ringtable_ring,
    FILENAME = 'D:\data\ringtable_ring.ndf',
    SIZE = 1024 MB,
    FILEGROWTH = 256 MB
) TO FILEGROUP ring;
GO
-- Tables name no filegroup (Azure SQL Database has only one): they are made in the default one.
ALTER DATABASE ringtable MODIFY FILEGROUP ring DEFAULT;
GO
ALTER DATABASE ringtable MODIFY FILE (NAME = ringtable_log, SIZE = 4096 MB, FILEGROWTH = 512 MB);
GO
-- FULL, as for any database whose contents must survive: then the log has to be backed up, or it grows until the disk
-- is full (error 9002: the broker stops accepting, RT-3012).
ALTER DATABASE ringtable SET RECOVERY FULL;
GO
