-- slots_in_order: slots that follow one another lie in one page.
-- Source: Kejser, "Table Pattern: Database Message Queues".
CREATE FUNCTION dbo.slot_key(@slot bigint) RETURNS bigint WITH SCHEMABINDING
AS
BEGIN
    RETURN @slot;
END;
