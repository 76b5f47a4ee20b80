-- lay_in_inbox: lays a message into the inbox of the transaction of the caller, or refuses it with what is wrong.
-- Called by:   publish and publish_bytes; applications call those.
-- Locks:       one key of the inbox, exclusive until the caller's transaction ends; never a page.
-- Access path: placement_pk; inbox_pk, at its end.
-- Changes:     exactly one row; refuses with 53050 to 53053 (RT-3050 to RT-3053) before anything is written.
--
-- Leaves the caller's transaction and its XACT_ABORT as they are.
DROP PROCEDURE IF EXISTS ringtable.lay_in_inbox;
GO

CREATE PROCEDURE ringtable.lay_in_inbox
    @address NVARCHAR(4000),
    @text NVARCHAR(MAX),
    @body VARBINARY(MAX),
    @properties NVARCHAR(MAX)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @shard_id INT;
    DECLARE @kind VARCHAR(5);
    DECLARE @name NVARCHAR(4000);
    DECLARE @bytes BIGINT;
    DECLARE @checked NVARCHAR(MAX);
    DECLARE @key NVARCHAR(4000);
    DECLARE @value NVARCHAR(MAX);
    DECLARE @wanted VARCHAR(100);

    SET @name = @address;
    IF LEFT(@address, 8) COLLATE Latin1_General_100_BIN2 IN (N'queue://', N'topic://')
    BEGIN
        SET @kind = LEFT(@address, 5);
        SET @name = SUBSTRING(@address, 9, 4000);
    END;
    -- LEN leaves out spaces at the end
    IF @name IS NULL OR LEN(@name + N'.') - 1 NOT BETWEEN 1 AND 400
       OR @name COLLATE Latin1_General_100_BIN2
           LIKE N'%[' + NCHAR(1) + N'-' + NCHAR(31) + NCHAR(127) + N'-' + NCHAR(159) + N']%'
    BEGIN
        SET @message = CONCAT(N'RT-3050 an address has 1 to 400 characters, none of them a control character, after ',
            N'queue:// or topic://; this one is ', COALESCE(N'''' + LEFT(@name, 400) + N'''', N'NULL'));
        THROW 53050, @message, 1;
    END;

    SET @bytes = COALESCE(DATALENGTH(@text), DATALENGTH(@body));
    IF @bytes IS NULL OR @bytes > 16777216
    BEGIN
        SET @message = CONCAT(N'RT-3051 the body of a message for ''', @name, N''' has ',
            COALESCE(CAST(@bytes AS NVARCHAR(20)) + N' bytes', N'not been given (NULL)'),
            N': give one of at most 16777216 bytes, two for each character of a text');
        THROW 53051, @message, 1;
    END;

    SET @checked = COALESCE(@properties, N'{}');
    IF @checked <> N'{}'
    BEGIN
        IF ISJSON(@checked) = 0 OR LEN(@checked + N'.') - 1 > 65536
           OR LEFT(LTRIM(REPLACE(REPLACE(REPLACE(@checked, NCHAR(9), N' '), NCHAR(10), N' '), NCHAR(13), N' ')), 1)
              <> N'{'
        BEGIN
            SET @message = CONCAT(N'RT-3052 properties are a JSON object of at most 65536 characters: these are ',
                LEN(@checked), N' characters that begin with ', LEFT(@checked, 100));
            THROW 53052, @message, 1;
        END;
        SELECT TOP (1) @key = c.[key], @value = c.[value], @wanted = c.wanted
        FROM (SELECT e.[key], e.[value],
                     CASE
                         WHEN e.[key] = N'durable'
                              AND (e.[value] IS NULL OR e.[value] <> N'true' COLLATE Latin1_General_100_BIN2)
                             THEN 'true, as it is for everything that is published here'
                         WHEN e.[key] = N'priority' AND (e.[type] <> 2 OR e.[value] NOT LIKE N'[0-9]')
                             THEN 'a whole number from 0 to 9'
                         WHEN e.[key] = N'ttl'
                              AND (e.[type] <> 2 OR e.[value] LIKE N'%[^0-9]%'
                                   OR COALESCE(TRY_CAST(e.[value] AS BIGINT), 0) NOT BETWEEN 1 AND 4294967295)
                             THEN 'a time to live in ms, from 1 to 4294967295'
                         WHEN e.[key] IN (N'message-id', N'correlation-id', N'content-type', N'subject',
                                               N'reply-to', N'group-id')
                              AND e.[type] <> 1
                             THEN 'a string'
                         WHEN e.[type] IN (4, 5) THEN 'a string, a number, true, false or null'
                         WHEN e.[type] = 2 AND e.[value] NOT LIKE N'%[.eE]%' AND TRY_CAST(e.[value] AS BIGINT) IS NULL
                             THEN 'a whole number within 64 bits'
                         WHEN e.[type] = 2 AND TRY_CAST(e.[value] AS FLOAT) IS NULL
                             THEN 'a number that a double can hold'
                     END AS wanted
              FROM OPENJSON(@checked) AS e) AS c
        WHERE c.wanted IS NOT NULL;
        IF @wanted IS NOT NULL
        BEGIN
            SET @message = CONCAT(N'RT-3053 property ''', LEFT(@key, 400), N''' is ',
                COALESCE(LEFT(@value, 100), N'null'), N': it must be ', @wanted);
            THROW 53053, @message, 1;
        END;
    END;

    -- The lowest shard of the database passes on what lives in another one.
    SELECT @shard_id = MIN(p.shard_id) FROM ringtable.placement AS p WHERE p.here = 1;
    INSERT INTO ringtable.inbox WITH (ROWLOCK) (shard_id, address, kind, session_id, body_text, body, properties,
        published_at, published_by)
    VALUES (COALESCE(@shard_id, 0), @name, @kind, @@SPID, @text, @body, @checked, SYSUTCDATETIME(),
        ORIGINAL_LOGIN());
END;
GO
