-- numbers_memory_identity: numbers from an identity column of a memory-optimised table; each row is taken back at once.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": NonBlockingSequence.
-- Differs: the article rolls back a transaction that has nothing but the number in it. So does this part for the first
--          message of a batch, before the batch's transaction begins; with batches of one that is every message. The
--          others take their numbers inside that transaction. Memory-optimised tables know no savepoints, and a
--          rollback would take back the batch, so the row is deleted there. Such a transaction spans both engines of
--          the server, which costs something at its commit.
CREATE TABLE dbo.push_numbers (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_0 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_1 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_2 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_3 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_4 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_5 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_6 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_7 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_8 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.pop_numbers_9 (
    number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 524288)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE PROCEDURE dbo.next_number
    @source varchar(20),
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @in_batch bit = CASE WHEN @@TRANCOUNT > 0 THEN 1 ELSE 0 END;
    IF @in_batch = 0
        BEGIN TRANSACTION;
    IF @source = 'push_numbers'
    BEGIN
        INSERT INTO dbo.push_numbers DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.push_numbers WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_0'
    BEGIN
        INSERT INTO dbo.pop_numbers_0 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_0 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_1'
    BEGIN
        INSERT INTO dbo.pop_numbers_1 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_1 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_2'
    BEGIN
        INSERT INTO dbo.pop_numbers_2 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_2 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_3'
    BEGIN
        INSERT INTO dbo.pop_numbers_3 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_3 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_4'
    BEGIN
        INSERT INTO dbo.pop_numbers_4 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_4 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_5'
    BEGIN
        INSERT INTO dbo.pop_numbers_5 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_5 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_6'
    BEGIN
        INSERT INTO dbo.pop_numbers_6 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_6 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_7'
    BEGIN
        INSERT INTO dbo.pop_numbers_7 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_7 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_8'
    BEGIN
        INSERT INTO dbo.pop_numbers_8 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_8 WHERE number = @number;
    END
    ELSE IF @source = 'pop_numbers_9'
    BEGIN
        INSERT INTO dbo.pop_numbers_9 DEFAULT VALUES;
        SET @number = SCOPE_IDENTITY();
        IF @in_batch = 1
            DELETE FROM dbo.pop_numbers_9 WHERE number = @number;
    END
    ELSE
        THROW 50002, 'the source of numbers is unknown', 1;
    IF @in_batch = 0
        ROLLBACK TRANSACTION; -- the identity does not go back with its row
END;
