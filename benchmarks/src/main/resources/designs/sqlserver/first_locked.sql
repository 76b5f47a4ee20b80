-- first_locked: a popper waits for the one that holds the first message.
-- Source:  Kejser, "Table Pattern: Database Message Queues": pop naive, whose DELETE locks the first row.
-- Differs: the article's DELETE reads the first row under an update lock and deletes it. Here these are two statements;
--          the first takes the same lock and keeps it.
CREATE PROCEDURE dbo.first_message
    @subscriber int,
    @id bigint OUTPUT,
    @body varchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT TOP (1) @id = message_id, @body = message
    FROM dbo.queue WITH (UPDLOCK, ROWLOCK)
    WHERE subscriber = @subscriber
    ORDER BY message_id;
END;
