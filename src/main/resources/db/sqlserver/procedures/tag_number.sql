-- tag_number: what up to ten digits of base64url stand for, the highest first: six bits each.
-- Called by:   settle.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
DROP FUNCTION IF EXISTS ringtable.tag_number;
GO

CREATE FUNCTION ringtable.tag_number (@digits VARCHAR(10))
RETURNS BIGINT
AS
BEGIN
    DECLARE @number BIGINT;
    DECLARE @at INT;
    SET @number = 0;
    SET @at = 1;
    WHILE @at <= LEN(@digits)
    BEGIN
        SET @number = @number * 64 - 1 + CHARINDEX(SUBSTRING(@digits, @at, 1) COLLATE Latin1_General_100_BIN2,
            'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' COLLATE Latin1_General_100_BIN2);
        SET @at = @at + 1;
    END;
    RETURN @number;
END;
GO
