-- session_native: as session, for procedures that are compiled: pushes and pops one message after the other.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": "Can The Throughput Curve Be Pushed Still
--          Further?", where a curve stands and no code.
-- Differs: the loops are interpreted, since a compiled procedure neither begins nor ends a transaction of many calls. A
--          batch of one has no transaction but that of its procedure.
-- Differs: nobody waits for a row. Where two sessions change the same one, the server refuses the second and dooms its
--          batch (error 41302). Poppers of several subscribers do meet. The session keeps the numbers of its open
--          batch in a list, moves them again first, and counts one miss.
-- Differs: a transaction sees what was committed when it began. A popper that has emptied that view commits and waits
--          its millisecond, even if messages have come since: batches of poppers at the pushers' heels stay small.
-- Calls:   next_number of numbers_*.sql; push_one, next_pop and pop_one of ring_in_memory.sql.
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
    DECLARE @no_later datetime2 = DATEADD(SECOND, 10, @until); -- for numbers of a batch that was rolled back
    DECLARE @body varchar(max) = 'Hello World' + REPLICATE(CAST(' ' AS varchar(max)), @body_bytes - 11);
    DECLARE @short_body varchar(7000) = CASE WHEN @body_bytes <= 7000 THEN @body END;
    DECLARE @long_body varchar(max) = CASE WHEN @body_bytes > 7000 THEN @body END;
    DECLARE @pushed int;
    DECLARE @moved bigint = 0;
    DECLARE @ids bigint = 0;
    DECLARE @missed bigint = 0;
    DECLARE @open TABLE (number bigint NOT NULL PRIMARY KEY, moved bit NOT NULL); -- no rollback changes it
    DECLARE @taken_back int = 0; -- numbers of the list that are to be moved again, without the one in @number
    DECLARE @moved_committed bigint = 0;
    DECLARE @ids_committed bigint = 0;

    WHILE (@moved < @most AND SYSUTCDATETIME() < @until)
        OR (@taken_back > 0 AND SYSUTCDATETIME() < @no_later)
    BEGIN
        IF @number IS NULL AND @taken_back > 0
        BEGIN
            SELECT @number = MIN(number) FROM @open WHERE moved = 0;
            SET @taken_back = @taken_back - 1;
        END
        ELSE IF @number IS NULL
            EXECUTE dbo.next_number 'push_numbers', @number OUTPUT;
        BEGIN TRY
            IF @batch > 1 AND @@TRANCOUNT = 0
                BEGIN TRANSACTION;
            EXECUTE dbo.push_one @number, @short_body, @long_body, @subscribers, @ring_size, @pushed OUTPUT;
            IF @pushed = 1
            BEGIN
                SET @ids = @ids + @number;
                SET @moved = @moved + 1;
                IF @batch > 1
                BEGIN
                    UPDATE @open SET moved = 1 WHERE number = @number;
                    IF @@ROWCOUNT = 0
                        INSERT INTO @open (number, moved) VALUES (@number, 1);
                END;
                SET @number = NULL;
            END
            ELSE
                SET @missed = @missed + 1;
            IF @moved % @batch = 0 OR @pushed = 0
            BEGIN
                IF @@TRANCOUNT > 0
                BEGIN
                    COMMIT TRANSACTION; -- after a miss too: poppers may wait for what this session pushed
                    DELETE FROM @open WHERE moved = 1;
                END;
                SET @moved_committed = @moved;
                SET @ids_committed = @ids;
            END;
            IF @pushed = 0
                WAITFOR DELAY '00:00:00.001';
        END TRY
        BEGIN CATCH
            IF @@TRANCOUNT > 0
                ROLLBACK TRANSACTION;
            IF ERROR_NUMBER() NOT IN (41301, 41302, 41305, 41325, 41839) -- in conflict with another session
                THROW;
            SET @missed = @missed + 1;
            SET @moved = @moved_committed;
            SET @ids = @ids_committed;
            UPDATE @open SET moved = 0;
            SELECT @taken_back = COUNT(*) FROM @open WHERE @number IS NULL OR number <> @number;
            WAITFOR DELAY '00:00:00.001';
        END CATCH;
    END;
    IF @taken_back > 0
        THROW 50003, 'numbers of a batch that was rolled back were not moved in time, and are lost', 1;
    IF @@TRANCOUNT > 0
        COMMIT TRANSACTION;
    INSERT INTO dbo.push_stats (session, messages) VALUES (@@SPID, @moved);
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
    DECLARE @no_later datetime2 = DATEADD(SECOND, 10, @until); -- for numbers of a batch that was rolled back
    DECLARE @message nvarchar(2048);
    DECLARE @body varchar(7000);
    DECLARE @long_body varchar(max);
    DECLARE @popped int;
    DECLARE @last bigint = 0;
    DECLARE @late bigint = 0;
    DECLARE @moved bigint = 0;
    DECLARE @ids bigint = 0;
    DECLARE @missed bigint = 0;
    DECLARE @open TABLE (number bigint NOT NULL PRIMARY KEY, moved bit NOT NULL); -- no rollback changes it
    DECLARE @taken_back int = 0; -- numbers of the list that are to be moved again, without the one in @number
    DECLARE @moved_committed bigint = 0;
    DECLARE @ids_committed bigint = 0;
    DECLARE @last_committed bigint = 0;
    DECLARE @late_committed bigint = 0;

    WHILE (@moved < @most AND SYSUTCDATETIME() < @until)
        OR (@taken_back > 0 AND SYSUTCDATETIME() < @no_later)
    BEGIN
        IF @number IS NULL AND @taken_back > 0
        BEGIN
            SELECT @number = MIN(number) FROM @open WHERE moved = 0;
            SET @taken_back = @taken_back - 1;
        END
        ELSE IF @number IS NULL
            EXECUTE dbo.next_pop @subscriber, @number OUTPUT;
        BEGIN TRY
            IF @batch > 1 AND @@TRANCOUNT = 0
                BEGIN TRANSACTION;
            EXECUTE dbo.pop_one @number, @ring_size, @popped OUTPUT, @body OUTPUT, @long_body OUTPUT;
            IF @popped = 1
            BEGIN
                IF DATALENGTH(COALESCE(@long_body, @body)) <> @body_bytes
                BEGIN
                    SET @message = CONCAT('message ', @number, ' has ', DATALENGTH(COALESCE(@long_body, @body)),
                        ' bytes, and ', @body_bytes, ' were pushed');
                    THROW 50001, @message, 1;
                END;
                SET @ids = @ids + @number;
                SET @moved = @moved + 1;
                IF @number < @last
                    SET @late = @late + 1;
                SET @last = @number;
                IF @batch > 1
                BEGIN
                    UPDATE @open SET moved = 1 WHERE number = @number;
                    IF @@ROWCOUNT = 0
                        INSERT INTO @open (number, moved) VALUES (@number, 1);
                END;
                SET @number = NULL;
            END
            ELSE
                SET @missed = @missed + 1;
            IF @moved % @batch = 0 OR @popped = 0
            BEGIN
                IF @@TRANCOUNT > 0
                BEGIN
                    COMMIT TRANSACTION; -- after a miss too: pushers may wait for slots that this session freed
                    DELETE FROM @open WHERE moved = 1;
                END;
                SET @moved_committed = @moved;
                SET @ids_committed = @ids;
                SET @last_committed = @last;
                SET @late_committed = @late;
            END;
            IF @popped = 0
                WAITFOR DELAY '00:00:00.001';
        END TRY
        BEGIN CATCH
            IF @@TRANCOUNT > 0
                ROLLBACK TRANSACTION;
            IF ERROR_NUMBER() NOT IN (41301, 41302, 41305, 41325, 41839) -- in conflict with another session
                THROW;
            SET @missed = @missed + 1;
            SET @moved = @moved_committed;
            SET @ids = @ids_committed;
            SET @last = @last_committed;
            SET @late = @late_committed;
            UPDATE @open SET moved = 0;
            SELECT @taken_back = COUNT(*) FROM @open WHERE @number IS NULL OR number <> @number;
            WAITFOR DELAY '00:00:00.001';
        END CATCH;
    END;
    IF @taken_back > 0
        THROW 50003, 'numbers of a batch that was rolled back were not moved in time, and are lost', 1;
    IF @@TRANCOUNT > 0
        COMMIT TRANSACTION;
    INSERT INTO dbo.pop_stats (session, subscriber, messages) VALUES (@@SPID, @subscriber, @moved);
    SELECT @number AS number, @moved AS moved, @ids AS ids, @missed AS missed, @late AS late;
END;
