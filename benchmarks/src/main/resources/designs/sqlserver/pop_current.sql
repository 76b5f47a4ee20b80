-- pop_current: a popper looks at the number that comes next, and takes it once it has the message.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": LmaxPop of the addendum, for production.
-- Differs: the message's number stays in the slot, so that the popper sees which one it has.
CREATE PROCEDURE dbo.next_pop
    @subscriber int,
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @source varchar(20) = CONCAT('pop_numbers_', @subscriber);
    EXECUTE dbo.coming_number @source, @number OUTPUT;
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
    DECLARE @source varchar(20) = CONCAT('pop_numbers_', @subscriber);
    SET @id = NULL;
    UPDATE dbo.ring WITH (ROWLOCK)
    SET time = SYSUTCDATETIME(),
        @id = message_id,
        @body = message,
        reference_count = reference_count - 1
    WHERE slot = @slot AND reference_count > 0;
    IF @id IS NOT NULL
        EXECUTE dbo.next_number @source, @number OUTPUT;
    SET @number = NULL;
END;
