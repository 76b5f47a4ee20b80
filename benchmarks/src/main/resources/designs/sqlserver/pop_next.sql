-- pop_next: a popper that finds its slot empty goes on to the next one. What is pushed there comes a lap later.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": the first LmaxPop, and the comment that it
--          overtakes the pushers.
-- Differs: the message's number stays in the slot, so that the popper sees which one it has.
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
        reference_count = reference_count - 1
    WHERE slot = @slot AND reference_count > 0;
    SET @number = NULL;
END;
