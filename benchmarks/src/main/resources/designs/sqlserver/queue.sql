-- queue:   the naive queue: a row for each message and subscriber, inserted and deleted in the order of a B-tree.
-- Source:  Kejser, "Table Pattern: Database Message Queues": push and pop naive.
-- Differs: message is varchar(max) where the article has char(300), since bodies have up to 65,536 bytes. Up to 8,000
--          bytes lie in the row all the same; a larger body has pages of its own.
-- Calls:   first_message of first_*.sql.
CREATE TABLE dbo.queue (
    subscriber int          NOT NULL,
    message_id bigint       NOT NULL,
    time       datetime2    NOT NULL,
    message    varchar(max) NOT NULL,
    CONSTRAINT queue_pk PRIMARY KEY CLUSTERED (subscriber, message_id)
);
GO

CREATE PROCEDURE dbo.fill
    @ring_size bigint,
    @body_bytes int
AS
BEGIN
    SET NOCOUNT ON; -- it has no slots
END;
GO

CREATE PROCEDURE dbo.push_one
    @number bigint,
    @body varchar(max),
    @subscribers int,
    @ring_size bigint,
    @pushed bit OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    INSERT INTO dbo.queue (subscriber, message_id, time, message)
    SELECT s.subscriber, @number, SYSUTCDATETIME(), @body
    FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS s (subscriber)
    WHERE s.subscriber < @subscribers;
    SET @pushed = 1;
END;
GO

CREATE PROCEDURE dbo.next_pop
    @subscriber int,
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON; -- pop_one looks for the first message, since the lock on it needs a transaction
END;
GO

CREATE PROCEDURE dbo.pop_one
    @number bigint OUTPUT,
    @subscriber int,
    @ring_size bigint,
    @id bigint OUTPUT,
    @body varchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET @id = NULL;
    EXECUTE dbo.first_message @subscriber, @id OUTPUT, @body OUTPUT;
    IF @id IS NOT NULL
        DELETE FROM dbo.queue WITH (ROWLOCK)
        WHERE subscriber = @subscriber AND message_id = @id;
END;
GO

CREATE VIEW dbo.owed AS SELECT COUNT_BIG(*) AS messages FROM dbo.queue;
