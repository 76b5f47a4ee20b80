-- slots_reversed: slots that follow one another lie as far apart as they can, by the reversed bits of their numbers.
-- Source: Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": "SQL Server and Reverse Key Indexes".
CREATE FUNCTION dbo.slot_key(@slot bigint) RETURNS bigint WITH SCHEMABINDING
AS
BEGIN
    -- Of 32 bits neighbours change places, then pairs, groups of four, bytes, and halves.
    DECLARE @key bigint = @slot;
    SET @key = ((@key & 1431655765) * 2) | ((@key / 2) & 1431655765);
    SET @key = ((@key & 858993459) * 4) | ((@key / 4) & 858993459);
    SET @key = ((@key & 252645135) * 16) | ((@key / 16) & 252645135);
    SET @key = ((@key & 16711935) * 256) | ((@key / 256) & 16711935);
    SET @key = ((@key & 65535) * 65536) | (@key / 65536);
    RETURN @key;
END;
