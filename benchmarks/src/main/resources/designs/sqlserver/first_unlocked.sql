-- first_unlocked: a popper passes over the messages that others hold: the naive queue's best case.
-- Source: not in the articles; what users of SQL Server do.
CREATE PROCEDURE dbo.first_message
    @subscriber int,
    @id bigint OUTPUT,
    @body varchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT TOP (1) @id = message_id, @body = message
    FROM dbo.queue WITH (READCOMMITTEDLOCK, READPAST, UPDLOCK, ROWLOCK)
    WHERE subscriber = @subscriber
    ORDER BY message_id;
END;
