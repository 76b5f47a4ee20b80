-- pop_same: a popper waits at its slot until its message is there.
-- Source: Kejser, "Table Pattern: Database Message Queues": pop LMAX'ed.
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
    @number bigint OUTPUT,
    @subscriber int,
    @ring_size bigint,
    @id bigint OUTPUT,
    @body varchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @slot bigint = dbo.slot_key(@number % @ring_size);
    SET @id = NULL;
    UPDATE dbo.ring WITH (ROWLOCK)
    SET time = SYSUTCDATETIME(),
        @id = message_id,
        @body = message,
        message_id = CASE WHEN reference_count > 1 THEN message_id END,
        reference_count = reference_count - 1
    WHERE slot = @slot AND message_id = @number;
    IF @id IS NOT NULL
        SET @number = NULL;
END;
