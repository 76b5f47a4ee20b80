-- The inbox: what applications publish and settle inside their own transactions. The broker takes what is committed over into the
-- ring and its ledger, and deletes exactly those rows in the flush that does so.

CREATE TABLE ringtable.inbox (
    shard_id     INT            NOT NULL, -- the ring that will hold the message
    inbox_id     BIGINT         IDENTITY (1, 1) NOT NULL, -- rises with every call of publish; gaps are roll-backs and restarts
    address      NVARCHAR(400)  COLLATE Latin1_General_100_BIN2 NOT NULL, -- where it goes, without prefix
    kind         VARCHAR(5)     NULL,     -- queue or topic, as the caller wrote it; NULL = the caller did not say
    session_id   INT            NOT NULL, -- who published it: tells read_inbox which rows are of one transaction
    body_text    NVARCHAR(MAX)  NULL,     -- a text as the caller gave it
    body         VARBINARY(MAX) NULL,     -- or bytes
    properties   NVARCHAR(MAX)  NOT NULL, -- a flat JSON object: application properties, and the reserved keys that publish knows
    published_at DATETIME2(3)   NOT NULL, -- when publish was called
    CONSTRAINT inbox_pk PRIMARY KEY CLUSTERED (shard_id, inbox_id),
    CONSTRAINT inbox_kind_is_queue_or_topic CHECK (kind IN ('queue', 'topic')),
    CONSTRAINT inbox_body_is_text_or_bytes CHECK ((body_text IS NULL AND body IS NOT NULL) OR (body_text IS NOT NULL AND body IS NULL)),
    CONSTRAINT inbox_body_is_at_most_16_mib CHECK (DATALENGTH(body_text) <= 16777216 OR DATALENGTH(body) <= 16777216)
);

CREATE TABLE ringtable.inbox_settlement (
    shard_id        INT          NOT NULL, -- the ring that holds the message
    inbox_id        BIGINT       IDENTITY (-1, -1) NOT NULL, -- below 0, so that ids of both tables go into one list
    subscription_id BIGINT       NOT NULL, -- who settles
    sequence        BIGINT       NOT NULL, -- what is settled
    laid_down_at    DATETIME2(3) NOT NULL, -- when settle was called
    CONSTRAINT inbox_settlement_pk PRIMARY KEY CLUSTERED (shard_id, inbox_id),
    -- whoever settles what somebody else is settling waits here for the end of that one's transaction
    CONSTRAINT inbox_settlement_settles_once UNIQUE NONCLUSTERED (shard_id, subscription_id, sequence)
);
GO

-- lay_in_inbox: what the two forms of publish have in common; applications call those. Refuses with 53050 to 53053 (RT-3050 to
--              RT-3053) before anything is written, and leaves the caller's transaction and its XACT_ABORT as they are.
-- Locks:       one key of the inbox, exclusive until the caller's transaction ends; never a page, which others would wait for.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row.
CREATE PROCEDURE ringtable.lay_in_inbox
    @address NVARCHAR(4000),
    @text NVARCHAR(MAX),
    @body VARBINARY(MAX),
    @properties NVARCHAR(MAX)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @message NVARCHAR(2048);
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
        SET @message = CONCAT(N'RT-3050 an address has 1 to 400 characters, none of them a control character, after queue:// or',
            N' topic://; this one is ', COALESCE(N'''' + LEFT(@name, 400) + N'''', N'NULL'));
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
           OR LEFT(LTRIM(REPLACE(REPLACE(REPLACE(@checked, NCHAR(9), N' '), NCHAR(10), N' '), NCHAR(13), N' ')), 1) <> N'{'
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
                         WHEN e.[key] IN (N'message-id', N'correlation-id', N'content-type', N'subject', N'reply-to', N'group-id')
                              AND e.[type] <> 1
                             THEN 'a string'
                         WHEN e.[type] IN (4, 5) THEN 'a string, a number, true, false or null'
                         WHEN e.[type] = 2 AND e.[value] NOT LIKE N'%[.eE]%' AND TRY_CAST(e.[value] AS BIGINT) IS NULL
                             THEN 'a whole number within 64 bits'
                         WHEN e.[type] = 2 AND TRY_CAST(e.[value] AS FLOAT) IS NULL THEN 'a number that a double can hold'
                     END AS wanted
              FROM OPENJSON(@checked) AS e) AS c
        WHERE c.wanted IS NOT NULL;
        IF @wanted IS NOT NULL
        BEGIN
            SET @message = CONCAT(N'RT-3053 property ''', LEFT(@key, 400), N''' is ', COALESCE(LEFT(@value, 100), N'null'),
                N': it must be ', @wanted);
            THROW 53053, @message, 1;
        END;
    END;

    INSERT INTO ringtable.inbox WITH (ROWLOCK) (shard_id, address, kind, session_id, body_text, body, properties, published_at)
    VALUES (0, @name, @kind, @@SPID, @text, @body, @checked, SYSUTCDATETIME());
END;
GO

-- publish: publishes a text inside the caller's transaction; for applications, who need EXECUTE on it and no right on any table.
--              The message is there for its subscribers once that transaction has committed, and never was if it rolls back.
-- Locks:       as lay_in_inbox.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row.
CREATE PROCEDURE ringtable.publish
    @address NVARCHAR(4000),
    @body NVARCHAR(MAX),
    @properties NVARCHAR(MAX) = N'{}'
AS
BEGIN
    SET NOCOUNT ON;
    EXECUTE ringtable.lay_in_inbox @address, @body, NULL, @properties;
END;
GO

-- publish_bytes: as publish, with bytes.
-- Locks:       as lay_in_inbox.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row.
CREATE PROCEDURE ringtable.publish_bytes
    @address NVARCHAR(4000),
    @body VARBINARY(MAX),
    @properties NVARCHAR(MAX) = N'{}'
AS
BEGIN
    SET NOCOUNT ON;
    EXECUTE ringtable.lay_in_inbox @address, NULL, @body, @properties;
END;
GO

-- settle: settles a delivery inside the caller's transaction; for applications, who need EXECUTE on it and no right on any table.
--              The message is settled if, and only if, that transaction commits. Refuses with 53060 (RT-3060) what was settled before,
--              so that what it stands for is not done twice, and with 53061 to 53064 what cannot be settled so; the caller's
--              transaction is rolled back then, so that nobody goes on by mistake.
-- Locks:       one key of inbox_settlement and of its index, exclusive until the caller's transaction ends. READ COMMITTED: nothing
--              that it reads stays locked. It waits for others who settle the same, and without READ_COMMITTED_SNAPSHOT for a flush
--              that is under way.
-- Access path: inbox_settlement_settles_once; shard_pk, subscription_pk; settlement_pk or backlog_pk and backlog_settlement_pk.
-- Changes:     exactly one row.
CREATE PROCEDURE ringtable.settle
    @delivery NVARCHAR(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @first_dot INT;
    DECLARE @second_dot INT;
    DECLARE @isolation SMALLINT;
    DECLARE @delivered BIGINT;
    DECLARE @subscriber BIGINT;
    DECLARE @sequence BIGINT;
    DECLARE @epoch BIGINT;
    DECLARE @bit SMALLINT;
    DECLARE @owed INT;
    DECLARE @number INT;
    DECLARE @own BIT;

    -- epoch.subscription.sequence, each of 1 to 18 digits
    SET @first_dot = CHARINDEX(N'.', @delivery);
    SET @second_dot = CHARINDEX(N'.', @delivery, @first_dot + 1);
    IF @delivery IS NULL OR @delivery COLLATE Latin1_General_100_BIN2 LIKE N'%[^0-9.]%' OR @first_dot NOT BETWEEN 2 AND 19
       OR @second_dot - @first_dot NOT BETWEEN 2 AND 19 OR CHARINDEX(N'.', @delivery, @second_dot + 1) > 0
       OR LEN(@delivery) - @second_dot NOT BETWEEN 1 AND 18
    BEGIN
        SET @message = CONCAT(N'RT-3061 ', COALESCE(N'''' + LEFT(@delivery, 100) + N'''', N'NULL'), N' is no delivery of a queue or a',
            N' durable subscription: give the delivery tag of the message as the broker sent it, epoch.subscription.sequence');
        IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;
        THROW 53061, @message, 1;
    END;
    -- A snapshot that is older than the row below would not show that the message has been settled since; locks that stay would stop
    -- the flushes.
    SELECT @isolation = s.transaction_isolation_level FROM sys.dm_exec_sessions AS s WHERE s.session_id = @@SPID;
    IF @isolation NOT IN (1, 2)
    BEGIN
        SET @message = CONCAT(N'RT-3062 settling needs READ COMMITTED, and this transaction is at isolation level ', @isolation,
            N' of sys.dm_exec_sessions: SET TRANSACTION ISOLATION LEVEL READ COMMITTED before it begins');
        IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;
        THROW 53062, @message, 1;
    END;
    SET @delivered = CAST(LEFT(@delivery, @first_dot - 1) AS BIGINT);
    SET @subscriber = CAST(SUBSTRING(@delivery, @first_dot + 1, @second_dot - @first_dot - 1) AS BIGINT);
    SET @sequence = CAST(SUBSTRING(@delivery, @second_dot + 1, 18) AS BIGINT);

    -- Outside of a transaction it is one, so that what is refused below leaves no row.
    IF @@TRANCOUNT = 0
    BEGIN
        SET @own = 1;
        BEGIN TRANSACTION;
    END;
    -- Waits for others who settle the same, and for the flush that takes over what one of them has committed.
    BEGIN TRY
        INSERT INTO ringtable.inbox_settlement WITH (ROWLOCK) (shard_id, subscription_id, sequence, laid_down_at)
        VALUES (0, @subscriber, @sequence, SYSUTCDATETIME());
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK TRANSACTION;
        IF ERROR_NUMBER() NOT IN (2601, 2627)
        BEGIN;
            THROW;
        END;
        SET @message = CONCAT(N'RT-3060 delivery ', @delivery, N' was settled already: roll back, what it stands for has been done');
        THROW 53060, @message, 1;
    END CATCH;

    -- A later statement: it sees the ledger that such a flush has left.
    SELECT @epoch = h.epoch,
           @bit = u.[bit],
           @owed = CASE
               WHEN @sequence >= h.gate AND (l.settled IS NULL
                    OR CAST(SUBSTRING(l.settled, CAST(@sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                       & POWER(2, CAST(@sequence % 8 AS INT)) = 0) THEN 1
               WHEN @sequence < h.gate AND b.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0 AND (k.settled IS NULL
                    OR CAST(SUBSTRING(k.settled, CAST(@sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                       & POWER(2, CAST(@sequence % 8 AS INT)) = 0) THEN 1
               ELSE 0
           END
    FROM ringtable.shard AS h
    LEFT JOIN ringtable.subscription AS u ON u.shard_id = h.shard_id AND u.subscription_id = @subscriber
    LEFT JOIN ringtable.settlement AS l ON l.shard_id = h.shard_id AND l.block = @sequence / 1024 AND l.[bit] = u.[bit]
    LEFT JOIN ringtable.backlog AS b
        ON b.shard_id = h.shard_id AND b.address_id = u.address_id AND b.sequence = @sequence AND b.group_no = u.group_no
    LEFT JOIN ringtable.backlog_settlement AS k
        ON k.shard_id = h.shard_id AND k.address_id = u.address_id AND k.block = @sequence / 1024 AND k.[bit] = u.[bit]
    WHERE h.shard_id = 0
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    -- The number may be another message's in a database that was restored, and whoever held the message gets it again under the new
    -- epoch.
    SET @number = CASE
        WHEN @epoch IS NULL OR @epoch <> @delivered THEN 53063
        WHEN @bit IS NULL THEN 53064
        WHEN @owed = 0 THEN 53060
        ELSE 0
    END;
    IF @number > 0
    BEGIN
        SET @message = CASE @number
            WHEN 53063 THEN CONCAT(N'RT-3063 delivery ', @delivery, N' was made under epoch ', @delivered, N', and the shard is at ',
                @epoch, N': roll back, the message comes again')
            WHEN 53064 THEN CONCAT(N'RT-3064 subscription ', @subscriber, N' of delivery ', @delivery,
                N' was deleted: nothing is owed')
            ELSE CONCAT(N'RT-3060 delivery ', @delivery, N' was settled already: roll back, what it stands for has been done')
        END;
        ROLLBACK TRANSACTION;
        THROW @number, @message, 1;
    END;
    IF @own = 1 COMMIT TRANSACTION;
END;
GO

-- read_inbox: committed messages of the inbox, lowest ids first, until so many messages or bytes are reached; whoever published
--              twice has both or the first among them. With them committed settlements in any order, and of each where its message lies
--              and what the backlog knows of it: the gate is read before the backlog, so what is on its way is seen in the ring or
--              there.
-- Locks:       none that outlasts a row. Rows of open transactions are passed over: no caller is waited for, with or without
--              READ_COMMITTED_SNAPSHOT (READCOMMITTEDLOCK makes both the same).
-- Access path: inbox_pk, from its beginning; backwards from the bound; one seek per row that is answered. Of settlements
--              inbox_settlement_pk, and one seek each in subscription_pk and backlog_pk.
-- Changes:     nothing.
--
-- Order without a snapshot. A scan with ascending ids can pass the place of a message, see its transaction commit and another one
-- begin and commit, and then come upon the second message alone. So the rows are read with descending ids: whoever is seen has
-- all its predecessors committed by then, with lower ids, and they are still to come. (Ids are given from one counter in the order of
-- the calls, over all sessions.) That leaves the moment in which a commit gives back its locks, one by one: a row may be free while
-- an earlier one of the same transaction still is not. So the ids that are there, committed or not, are read last, and behind one
-- that had been passed over nothing of the same session is answered. The next look finds it.
CREATE PROCEDURE ringtable.read_inbox
    @shard_id INT,
    @left_out NVARCHAR(MAX), -- a JSON array of addresses, none twice
    @messages_max INT,
    @bytes_max BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @full TABLE (address NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY);
    DECLARE @bound BIGINT;
    DECLARE @everything INT;
    DECLARE @committed TABLE (
        inbox_id   BIGINT NOT NULL PRIMARY KEY,
        session_id INT    NOT NULL,
        bytes      BIGINT NOT NULL
    );
    DECLARE @passed_over TABLE (
        session_id INT    NOT NULL PRIMARY KEY,
        first_id   BIGINT NOT NULL
    );
    IF @left_out <> N'[]'
        INSERT INTO @full (address)
        SELECT ringtable.unescaped(j.address) FROM OPENJSON(@left_out) WITH (address NVARCHAR(MAX) '$') AS j;
    -- Any bound will do: a message below it has its predecessors below it.
    SELECT @bound = MAX(p.inbox_id)
    FROM (SELECT TOP (@messages_max) i.inbox_id
          FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, READPAST)
          WHERE i.shard_id = @shard_id
            AND NOT EXISTS (SELECT 1 FROM @full AS n WHERE n.address = i.address)
          ORDER BY i.inbox_id) AS p
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    IF @bound IS NOT NULL
    BEGIN
        SET @everything = 2147483647; -- TOP with a variable has the rows read in the order that follows
        INSERT INTO @committed (inbox_id, session_id, bytes)
        SELECT TOP (@everything) i.inbox_id, i.session_id, COALESCE(DATALENGTH(i.body), DATALENGTH(i.body_text))
        FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, READPAST)
        WHERE i.shard_id = @shard_id
          AND i.inbox_id <= @bound
          AND NOT EXISTS (SELECT 1 FROM @full AS n WHERE n.address = i.address)
        ORDER BY i.inbox_id DESC
        OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
        INSERT INTO @passed_over (session_id, first_id)
        SELECT i.session_id, MIN(i.inbox_id)
        FROM ringtable.inbox AS i WITH (READUNCOMMITTED)
        WHERE i.shard_id = @shard_id
          AND i.inbox_id <= @bound
          AND NOT EXISTS (SELECT 1 FROM @committed AS c WHERE c.inbox_id = i.inbox_id)
          AND NOT EXISTS (SELECT 1 FROM @full AS n WHERE n.address = i.address)
        GROUP BY i.session_id
        OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    END;
    SELECT m.inbox_id,
           m.address,
           m.kind,
           m.body_text,
           m.body,
           m.properties,
           CASE WHEN m.published_at < SYSUTCDATETIME() THEN DATEDIFF_BIG(MILLISECOND, m.published_at, SYSUTCDATETIME()) ELSE 0 END
               AS age_ms
    FROM (SELECT TOP (@messages_max) c.inbox_id, c.bytes,
                 SUM(c.bytes) OVER (ORDER BY c.inbox_id ROWS UNBOUNDED PRECEDING) AS bytes_so_far
          FROM @committed AS c
          LEFT JOIN @passed_over AS h ON h.session_id = c.session_id
          WHERE h.first_id IS NULL OR c.inbox_id < h.first_id
          ORDER BY c.inbox_id) AS t
    JOIN ringtable.inbox AS m ON m.shard_id = @shard_id AND m.inbox_id = t.inbox_id
    WHERE t.bytes_so_far <= @bytes_max OR t.bytes_so_far = t.bytes
    ORDER BY m.inbox_id
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    SELECT TOP (@messages_max)
           s.inbox_id,
           CASE WHEN s.laid_down_at < SYSUTCDATETIME() THEN DATEDIFF_BIG(MILLISECOND, s.laid_down_at, SYSUTCDATETIME()) ELSE 0 END
               AS age_ms,
           s.subscription_id,
           s.sequence,
           COALESCE(u.address_id, 0) AS address_id,
           CASE WHEN u.address_id IS NULL THEN NULL WHEN s.sequence >= h.gate THEN 'ring' WHEN b.sequence IS NOT NULL THEN 'backlog' END
               AS place,
           COALESCE(b.pending, 0) AS pending,
           COALESCE(b.body_bytes, 0) AS body_bytes,
           COALESCE(b.body_id, 0) AS body_id
    FROM ringtable.inbox_settlement AS s WITH (READCOMMITTEDLOCK, READPAST)
    JOIN ringtable.shard AS h ON h.shard_id = s.shard_id
    LEFT JOIN ringtable.subscription AS u ON u.shard_id = s.shard_id AND u.subscription_id = s.subscription_id
    LEFT JOIN ringtable.backlog AS b
        ON b.shard_id = s.shard_id AND b.address_id = u.address_id AND b.sequence = s.sequence AND b.group_no = u.group_no
    WHERE s.shard_id = @shard_id
    ORDER BY s.inbox_id DESC
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
END;
GO

-- flush_inbox: a batch that has something of the inbox in it: makes it durable and deletes its rows, or neither. Apart from flush,
--              which stays what it was for everybody else.
-- Locks:       as flush, which comes first: a former owner deletes nothing. Then at most 2,000 keys of the inbox, and no page, on
--              which callers would have to wait.
-- Access path: as flush; inbox_pk and inbox_settlement_pk, one seek per row.
-- Changes:     as flush, and each row of the inbox that is named; else nothing. Where nobody owes any of the messages no number
--              tells whether an earlier try has committed, and it does no harm to find them gone.
CREATE PROCEDURE ringtable.flush_inbox
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @dispatch_bound BIGINT,
    @rows_sent INT,
    @claims ringtable.claim_list READONLY,
    @settlements ringtable.settlement_list READONLY,
    @backlog_settlements ringtable.backlog_settlement_list READONLY,
    @redeliveries ringtable.redelivery_list READONLY,
    @dispatched ringtable.dispatched_list READONLY,
    @inbox_ids NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @none TABLE (id INT NOT NULL); -- stays empty, see the head of V002__verbs.sql
    DECLARE @message NVARCHAR(2048);
    DECLARE @first BIGINT;
    DECLARE @last BIGINT;
    DECLARE @named INT;
    DECLARE @deleted INT;
    DECLARE @collected TABLE (inbox_id BIGINT NOT NULL PRIMARY KEY);

    INSERT INTO @collected (inbox_id) SELECT j.inbox_id FROM OPENJSON(@inbox_ids) WITH (inbox_id BIGINT '$') AS j;
    SELECT @named = COUNT(*), @first = MIN(n.inbox_id), @last = MAX(n.inbox_id) FROM @collected AS n;
    BEGIN TRANSACTION;
    -- Its own COMMIT only counts down: what it did becomes durable with the one below, or not at all.
    EXECUTE ringtable.flush @shard_id, @epoch, @gate, @dispatch_bound, @rows_sent, @claims, @settlements, @backlog_settlements,
        @redeliveries, @dispatched;
    DELETE FROM ringtable.inbox WITH (ROWLOCK)
    WHERE shard_id = @shard_id
      AND inbox_id >= @first
      AND inbox_id <= @last
      AND inbox_id IN (SELECT n.inbox_id FROM @collected AS n)
    OPTION (LOOP JOIN);
    SET @deleted = @@ROWCOUNT;
    IF @first < 0
    BEGIN
        DELETE FROM ringtable.inbox_settlement WITH (ROWLOCK)
        WHERE shard_id = @shard_id
          AND inbox_id >= @first
          AND inbox_id < 0
          AND inbox_id IN (SELECT n.inbox_id FROM @collected AS n)
        OPTION (LOOP JOIN);
        SET @deleted = @deleted + @@ROWCOUNT;
    END;
    IF @deleted <> @named AND EXISTS (SELECT 1 FROM @claims WHERE NOT EXISTS (SELECT 1 FROM @none))
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('inbox: ', @deleted, ' rows deleted where ', @named, ' must');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;
END;
GO
