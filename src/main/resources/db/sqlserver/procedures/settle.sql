-- settle: settles a delivery inside the transaction of the caller.
-- Called by:   applications, who need EXECUTE on it and no right on any table.
-- Locks:       one key of inbox_settlement and of its index, exclusive until the caller's transaction ends.
-- Access path: delivery_key_pk; inbox_settlement_settles_once; shard_pk, subscription_pk; settlement_pk or backlog_pk.
-- Changes:     exactly one row.
--
-- The message is settled if, and only if, the transaction commits. Refuses with 53060 (RT-3060) what was settled
-- before, so that what it stands for is not done twice, and with 53061 to 53064 and 53350 what cannot be settled so.
-- The caller's transaction is rolled back then, so that nobody goes on by mistake.
-- READ COMMITTED: nothing that it reads stays locked. It waits for others who settle the same, and without
-- READ_COMMITTED_SNAPSHOT for a flush that is under way.
DROP PROCEDURE IF EXISTS ringtable.settle;
GO

CREATE PROCEDURE ringtable.settle
    @delivery NVARCHAR(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @first_dot INT;
    DECLARE @second_dot INT;
    DECLARE @third_dot INT;
    DECLARE @isolation SMALLINT;
    DECLARE @delivered BIGINT;
    DECLARE @subscriber BIGINT;
    DECLARE @shard_id INT; -- the id of a subscription tells it
    DECLARE @sequence BIGINT;
    DECLARE @code BIGINT;
    DECLARE @epoch BIGINT;
    DECLARE @bit SMALLINT;
    DECLARE @owed INT;
    DECLARE @number INT;
    DECLARE @own BIT;
    DECLARE @place NVARCHAR(1000); -- of a shard in another database

    -- epoch.subscription.sequence.code, each of 1 to 10 digits of base64url, the code of 10. Of a shard other than 0 a
    -- colon stands in the place of the first dot, and behind it the id within the shard, times 1,024, plus the shard.
    SET @first_dot = CHARINDEX(N':', @delivery);
    IF @first_dot = 0
        SET @first_dot = CHARINDEX(N'.', @delivery);
    SET @second_dot = CHARINDEX(N'.', @delivery, @first_dot + 1);
    SET @third_dot = CHARINDEX(N'.', @delivery, @second_dot + 1);
    IF @delivery IS NULL OR @delivery COLLATE Latin1_General_100_BIN2 LIKE N'%[^-A-Za-z0-9_.:]%'
       OR @first_dot NOT BETWEEN 2 AND 11 OR CHARINDEX(N'.', @delivery) BETWEEN 1 AND @first_dot - 1
       OR CHARINDEX(N':', @delivery, @first_dot + 1) > 0
       OR @second_dot - @first_dot NOT BETWEEN 2 AND 11 OR @third_dot - @second_dot NOT BETWEEN 2 AND 11
       OR CHARINDEX(N'.', @delivery, @third_dot + 1) > 0 OR LEN(@delivery) - @third_dot <> 10
    BEGIN
        SET @message = CONCAT(N'RT-3061 ', COALESCE(N'''' + LEFT(@delivery, 100) + N'''', N'NULL'),
            N' is no delivery of a queue or a durable subscription: give the delivery tag of the message as the',
            N' broker sent it, epoch.subscription.sequence.code');
        IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;
        THROW 53061, @message, 1;
    END;
    -- A snapshot that is older than the row below would not show that the message has been settled since; locks that
    -- stay would stop the flushes.
    SELECT @isolation = s.transaction_isolation_level FROM sys.dm_exec_sessions AS s WHERE s.session_id = @@SPID;
    IF @isolation NOT IN (1, 2)
    BEGIN
        SET @message = CONCAT(N'RT-3062 settling needs READ COMMITTED, and this transaction is at isolation level ',
            @isolation, N' of sys.dm_exec_sessions: SET TRANSACTION ISOLATION LEVEL READ COMMITTED before it begins');
        IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;
        THROW 53062, @message, 1;
    END;
    SET @delivered = ringtable.tag_number(LEFT(@delivery, @first_dot - 1));
    SET @subscriber = ringtable.tag_number(SUBSTRING(@delivery, @first_dot + 1, @second_dot - @first_dot - 1));
    IF SUBSTRING(@delivery, @first_dot, 1) = N':'
        SET @subscriber = @subscriber % 1024 * CAST(1099511627776 AS BIGINT) + @subscriber / 1024;
    SET @shard_id = CAST(@subscriber / CAST(1099511627776 AS BIGINT) AS INT);
    SET @sequence = ringtable.tag_number(SUBSTRING(@delivery, @second_dot + 1, @third_dot - @second_dot - 1));
    -- Before anything is written: a row of one that was made up would keep out those who hold the delivery.
    SELECT @code = CAST(SUBSTRING(HASHBYTES('SHA2_256',
        k.secret + CAST(@delivered AS BINARY(8)) + CAST(@subscriber AS BINARY(8))
                                                        + CAST(@sequence AS BINARY(8))), 1, 8) AS BIGINT)
                   & CAST(1152921504606846975 AS BIGINT)
    FROM ringtable.delivery_key AS k
    WHERE k.shard_id = @shard_id;
    IF @code IS NULL
    BEGIN
        SELECT @place = p.place FROM ringtable.placement AS p WHERE p.shard_id = @shard_id AND p.here = 0;
        IF @place IS NOT NULL
        BEGIN
            SET @message = CONCAT(N'RT-4545 delivery ', @delivery, N' is of shard ', @shard_id,
                N', which lies in another database, ', @place, N': settle on a connection to that one');
            IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;
            THROW 54545, @message, 1;
        END;
    END;
    IF @code IS NULL OR @code <> ringtable.tag_number(SUBSTRING(@delivery, @third_dot + 1, 10))
    BEGIN
        SET @message = CONCAT(N'RT-3350 delivery ', @delivery, N' (epoch ', @delivered, N', subscription ',
            @subscriber, N', sequence ', @sequence,
            N') was made by no broker of this ring: give the delivery tag as the broker sent it');
        IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;
        THROW 53350, @message, 1;
    END;

    -- Outside of a transaction it is one, so that what is refused below leaves no row.
    IF @@TRANCOUNT = 0
    BEGIN
        SET @own = 1;
        BEGIN TRANSACTION;
    END;
    -- Waits for others who settle the same, and for the flush that takes over what one of them has committed.
    BEGIN TRY
        INSERT INTO ringtable.inbox_settlement WITH (ROWLOCK) (shard_id, subscription_id, sequence, laid_down_at)
        VALUES (@shard_id, @subscriber, @sequence, SYSUTCDATETIME());
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK TRANSACTION;
        IF ERROR_NUMBER() NOT IN (2601, 2627)
        BEGIN;
            THROW;
        END;
        SET @message = CONCAT(N'RT-3060 delivery ', @delivery,
            N' was settled already: roll back, what it stands for has been done');
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
        ON b.shard_id = h.shard_id AND b.address_id = u.address_id AND b.sequence = @sequence
           AND b.group_no = u.group_no
    LEFT JOIN ringtable.backlog_settlement AS k
        ON k.shard_id = h.shard_id AND k.address_id = u.address_id AND k.block = @sequence / 1024 AND k.[bit] = u.[bit]
    WHERE h.shard_id = @shard_id
    OPTION (LOOP JOIN, FORCE ORDER, MAXDOP 1);
    -- The number may be another message's in a database that was restored, and whoever held the message gets it again
    -- under the new epoch.
    SET @number = CASE
        WHEN @epoch IS NULL OR @epoch <> @delivered THEN 53063
        WHEN @bit IS NULL THEN 53064
        WHEN @owed = 0 THEN 53060
        ELSE 0
    END;
    IF @number > 0
    BEGIN
        SET @message = CASE @number
            WHEN 53063 THEN CONCAT(N'RT-3063 delivery ', @delivery, N' was made under epoch ', @delivered,
                N', and the shard is at ', @epoch, N': roll back, the message comes again')
            WHEN 53064 THEN CONCAT(N'RT-3064 subscription ', @subscriber, N' of delivery ', @delivery,
                N' was deleted: nothing is owed')
            ELSE CONCAT(N'RT-3060 delivery ', @delivery,
                N' was settled already: roll back, what it stands for has been done')
        END;
        ROLLBACK TRANSACTION;
        THROW @number, @message, 1;
    END;
    IF @own = 1 COMMIT TRANSACTION;
END;
GO

-- The right to execute went with the procedure that was dropped. Whoever has it from another role than these two is
-- granted it again by hand.
IF EXISTS (SELECT 1 FROM sys.database_principals AS p WHERE p.name = N'ringtable_application')
    GRANT EXECUTE ON ringtable.settle TO ringtable_application;
GO

IF EXISTS (SELECT 1 FROM sys.database_principals AS p WHERE p.name = N'ringtable_settler')
    GRANT EXECUTE ON ringtable.settle TO ringtable_settler;
GO
