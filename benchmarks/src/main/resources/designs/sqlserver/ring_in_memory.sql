-- ring_in_memory: the ring in a memory-optimised table with a hash index, and compiled procedures for one message.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": "Can The Throughput Curve Be Pushed Still
--          Further?", where a curve stands and no code.
-- Differs: a hash spreads the slots, so slot_key is not needed.
-- Differs: a memory-optimised table keeps no varchar(max) in its rows, however short. Bodies up to 7,000 bytes have a
--          column that lies there, and only larger ones go to long_message.
-- Calls:   next_number of numbers_memory_identity.sql.
CREATE TABLE dbo.ring (
    slot            bigint        NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 2097152),
    message_id      bigint        NULL,
    time            datetime2     NOT NULL,
    message         varchar(7000) NULL,
    long_message    varchar(max)  NULL,
    reference_count tinyint       NOT NULL
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE PROCEDURE dbo.fill
    @ring_size bigint,
    @body_bytes int
AS
BEGIN
    SET NOCOUNT ON;
    INSERT INTO dbo.ring (slot, time, message, reference_count)
    SELECT TOP (@ring_size) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, '2050-01-01', 'dummy', 0
    FROM sys.all_columns AS a
    CROSS JOIN sys.all_columns AS b;
END;
GO

CREATE PROCEDURE dbo.push_one
    @number bigint NOT NULL,
    @body varchar(7000), -- one of the two is NULL
    @long_body varchar(max),
    @subscribers int NOT NULL,
    @ring_size bigint NOT NULL,
    @pushed int OUTPUT
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @slot bigint = @number % @ring_size;
    UPDATE dbo.ring
    SET time = SYSUTCDATETIME(),
        message = @body,
        long_message = @long_body,
        message_id = @number,
        reference_count = reference_count + @subscribers
    WHERE slot = @slot AND reference_count = 0; -- don't overwrite
    SET @pushed = @@ROWCOUNT;
END;
GO

CREATE PROCEDURE dbo.next_pop
    @subscriber int,
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @source varchar(20) = CONCAT('pop_numbers_', @subscriber);
    EXECUTE dbo.next_number @source, @number OUTPUT;
END;
GO

CREATE PROCEDURE dbo.pop_one
    @number bigint NOT NULL,
    @ring_size bigint NOT NULL,
    @popped int OUTPUT,
    @body varchar(7000) OUTPUT, -- one of the two is NULL
    @long_body varchar(max) OUTPUT
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @slot bigint = @number % @ring_size;
    SELECT @body = message, @long_body = long_message
    FROM dbo.ring
    WHERE slot = @slot AND message_id = @number;
    UPDATE dbo.ring
    SET time = SYSUTCDATETIME(),
        message_id = CASE WHEN reference_count > 1 THEN message_id END,
        reference_count = reference_count - 1
    WHERE slot = @slot AND message_id = @number;
    SET @popped = @@ROWCOUNT;
END;
GO

CREATE VIEW dbo.owed AS SELECT COALESCE(SUM(CAST(reference_count AS bigint)), 0) AS messages FROM dbo.ring;
