-- numbers_identity: numbers from an identity column, whose row is taken back at once.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": NonBlockingSequence.
-- Differs: the table is an ordinary one; the article says that the trick pays with a memory-optimised one only. The row
--          is taken back alone, to a savepoint, where the messages of the batch before it stay.
CREATE TABLE dbo.push_numbers (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_0 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_1 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_2 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_3 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_4 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_5 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_6 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_7 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_8 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
CREATE TABLE dbo.pop_numbers_9 (number bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED);
GO

CREATE PROCEDURE dbo.next_number
    @source varchar(20),
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @in_batch bit = CASE WHEN @@TRANCOUNT > 0 THEN 1 ELSE 0 END;
    IF @in_batch = 1
        SAVE TRANSACTION number_taken;
    ELSE
        BEGIN TRANSACTION;
    IF @source = 'push_numbers'
        INSERT INTO dbo.push_numbers DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_0'
        INSERT INTO dbo.pop_numbers_0 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_1'
        INSERT INTO dbo.pop_numbers_1 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_2'
        INSERT INTO dbo.pop_numbers_2 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_3'
        INSERT INTO dbo.pop_numbers_3 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_4'
        INSERT INTO dbo.pop_numbers_4 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_5'
        INSERT INTO dbo.pop_numbers_5 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_6'
        INSERT INTO dbo.pop_numbers_6 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_7'
        INSERT INTO dbo.pop_numbers_7 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_8'
        INSERT INTO dbo.pop_numbers_8 DEFAULT VALUES;
    ELSE IF @source = 'pop_numbers_9'
        INSERT INTO dbo.pop_numbers_9 DEFAULT VALUES;
    ELSE
        THROW 50002, 'the source of numbers is unknown', 1;
    SET @number = SCOPE_IDENTITY(); -- the identity does not go back with its row
    IF @in_batch = 1
        ROLLBACK TRANSACTION number_taken;
    ELSE
        ROLLBACK TRANSACTION;
END;
