-- memory_filegroup: what a database needs before it can have memory-optimised tables.
-- Source: Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": NonBlockingSequence, which needs them.
ALTER DATABASE CURRENT ADD FILEGROUP designs_in_memory CONTAINS MEMORY_OPTIMIZED_DATA;
GO

-- A file's name is no parameter: the server's own directory and the database's name are put into the text.
DECLARE @add nvarchar(max) = CONCAT(
    N'ALTER DATABASE CURRENT ADD FILE (NAME = designs_in_memory, FILENAME = ''',
    CAST(SERVERPROPERTY('InstanceDefaultDataPath') AS nvarchar(260)), DB_NAME(), N'_in_memory',
    N''') TO FILEGROUP designs_in_memory;');
EXECUTE sp_executesql @add;
GO

-- Sessions are READ COMMITTED, which memory-optimised tables do not know inside a transaction.
ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON;
