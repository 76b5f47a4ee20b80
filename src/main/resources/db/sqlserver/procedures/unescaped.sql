-- unescaped: a text as it was before characters of it were written as % and two hexadecimal digits.
-- Called by:   alter_catalog and read_inbox, for the texts in their JSON.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
--
-- Written so are the characters that JSON would escape by a backslash (quotation mark, backslash, control characters)
-- and % itself. A compatible server leaves the backslashes of JSON where they are (Babelfish 4.3).
DROP FUNCTION IF EXISTS ringtable.unescaped;
GO

CREATE FUNCTION ringtable.unescaped (@text NVARCHAR(MAX))
RETURNS NVARCHAR(MAX)
AS
BEGIN
    DECLARE @digits NCHAR(16);
    DECLARE @plain NVARCHAR(MAX);
    DECLARE @at BIGINT;
    SET @digits = N'0123456789ABCDEF';
    SET @plain = @text;
    -- Byte by byte: other collations find a full-width % as well.
    SET @at = CHARINDEX(N'%', @plain COLLATE Latin1_General_100_BIN2);
    WHILE @at > 0
    BEGIN
        SET @plain = STUFF(@plain, @at, 3, NCHAR(16 * CHARINDEX(SUBSTRING(@plain, @at + 1, 1), @digits)
            + CHARINDEX(SUBSTRING(@plain, @at + 2, 1), @digits) - 17));
        SET @at = CHARINDEX(N'%', @plain COLLATE Latin1_General_100_BIN2, @at + 1);
    END;
    RETURN @plain;
END;
GO
