-- slots_scattered: slots that follow one another lie in ten parts of the table, by their last digit.
-- Source: Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": LmaxPushV2.
CREATE FUNCTION dbo.slot_key(@slot bigint) RETURNS bigint WITH SCHEMABINDING
AS
BEGIN
    RETURN @slot + CASE @slot % 10
        WHEN 0 THEN 0
        WHEN 1 THEN 5000000000
        WHEN 2 THEN 1000000000
        WHEN 3 THEN 8000000000
        WHEN 4 THEN 2000000000
        WHEN 5 THEN 7000000000
        WHEN 6 THEN 3000000000
        WHEN 7 THEN 6000000000
        WHEN 8 THEN 4000000000
        ELSE 9000000000
    END;
END;
