-- session: pushes and pops one message after the other, a commit after each batch, until the time is over.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": the loops of LmaxPush and LmaxPop, their
--          pause of a millisecond, PushStats and PopStats.
-- Differs: a number that no message was pushed with, or popped by, is returned and taken up by the next call. A number
--          left behind would keep its slot empty for ever, and every popper that comes to it would wait there.
-- Differs: the article's loop is one procedure. Here next_number, push_one and pop_one are procedures that it calls,
--          since functions may not change data. Each call costs processor time that the article's loop does not spend.
-- Calls:   next_number of numbers_*.sql; push_one, next_pop and pop_one of the design.
CREATE TABLE dbo.push_stats (session int NOT NULL, messages bigint NOT NULL);
CREATE TABLE dbo.pop_stats (session int NOT NULL, subscriber int NOT NULL, messages bigint NOT NULL);
GO

CREATE PROCEDURE dbo.push
    @most bigint,
    @microseconds bigint,
    @batch int,
    @body_bytes int,
    @subscribers int,
    @ring_size bigint,
    @number bigint -- of the call before; NULL if none
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @until datetime2 = DATEADD(MICROSECOND, CAST(@microseconds % 1000000 AS int),
        DATEADD(SECOND, CAST(@microseconds / 1000000 AS int), SYSUTCDATETIME()));
    DECLARE @body varchar(max) = 'Hello World' + REPLICATE(CAST(' ' AS varchar(max)), @body_bytes - 11);
    DECLARE @pushed bit;
    DECLARE @moved bigint = 0;
    DECLARE @ids bigint = 0;
    DECLARE @missed bigint = 0;

    WHILE @moved < @most AND SYSUTCDATETIME() < @until
    BEGIN
        IF @number IS NULL
            EXECUTE dbo.next_number 'push_numbers', @number OUTPUT;
        IF @@TRANCOUNT = 0
            BEGIN TRANSACTION;
        EXECUTE dbo.push_one @number, @body, @subscribers, @ring_size, @pushed OUTPUT;
        IF @pushed = 1
        BEGIN
            SET @ids = @ids + @number;
            SET @moved = @moved + 1;
            SET @number = NULL;
            IF @moved % @batch = 0
                COMMIT TRANSACTION;
        END
        ELSE
        BEGIN
            SET @missed = @missed + 1;
            COMMIT TRANSACTION; -- poppers may wait for what this session pushed
            WAITFOR DELAY '00:00:00.001';
        END;
    END;
    INSERT INTO dbo.push_stats (session, messages) VALUES (@@SPID, @moved);
    IF @@TRANCOUNT > 0
        COMMIT TRANSACTION;
    SELECT @number AS number, @moved AS moved, @ids AS ids, @missed AS missed, CAST(0 AS bigint) AS late;
END;
GO

CREATE PROCEDURE dbo.pop
    @most bigint,
    @microseconds bigint,
    @batch int,
    @body_bytes int,
    @subscriber int,
    @ring_size bigint,
    @number bigint -- of the call before; NULL if none
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @until datetime2 = DATEADD(MICROSECOND, CAST(@microseconds % 1000000 AS int),
        DATEADD(SECOND, CAST(@microseconds / 1000000 AS int), SYSUTCDATETIME()));
    DECLARE @message nvarchar(2048);
    DECLARE @id bigint;
    DECLARE @body varchar(max);
    DECLARE @last bigint = 0;
    DECLARE @moved bigint = 0;
    DECLARE @ids bigint = 0;
    DECLARE @missed bigint = 0;
    DECLARE @late bigint = 0;

    WHILE @moved < @most AND SYSUTCDATETIME() < @until
    BEGIN
        IF @number IS NULL
            EXECUTE dbo.next_pop @subscriber, @number OUTPUT;
        IF @@TRANCOUNT = 0
            BEGIN TRANSACTION;
        EXECUTE dbo.pop_one @number OUTPUT, @subscriber, @ring_size, @id OUTPUT, @body OUTPUT;
        IF @id IS NOT NULL
        BEGIN
            IF DATALENGTH(@body) <> @body_bytes
            BEGIN
                SET @message = CONCAT('message ', @id, ' has ', DATALENGTH(@body), ' bytes, and ', @body_bytes,
                    ' were pushed');
                THROW 50001, @message, 1;
            END;
            SET @ids = @ids + @id;
            SET @moved = @moved + 1;
            IF @id < @last
                SET @late = @late + 1;
            SET @last = @id;
            IF @moved % @batch = 0
                COMMIT TRANSACTION;
        END
        ELSE
        BEGIN
            SET @missed = @missed + 1;
            COMMIT TRANSACTION; -- pushers may wait for slots that this session freed
            WAITFOR DELAY '00:00:00.001';
        END;
    END;
    INSERT INTO dbo.pop_stats (session, subscriber, messages) VALUES (@@SPID, @subscriber, @moved);
    IF @@TRANCOUNT > 0
        COMMIT TRANSACTION;
    SELECT @number AS number, @moved AS moved, @ids AS ids, @missed AS missed, @late AS late;
END;
