-- alter_catalog: makes changes of the catalogue, in order, together.
-- Called by:   statements/alter_catalog.sql, commit included.
-- Locks:       the owner row first, exclusive until commit; then the rows that are changed.
-- Access path: keys of address, subscription, redelivery, producer, duplicate_id and replay.
-- Changes:     what each change names; one that is not there rolls back all of them.
DROP PROCEDURE IF EXISTS ringtable.alter_catalog;
GO

CREATE PROCEDURE ringtable.alter_catalog
    @shard_id INT,
    @epoch BIGINT,
    @changes NVARCHAR(MAX) -- a JSON array of objects with the columns of @list
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @list TABLE (
        ordinal         INT           NOT NULL PRIMARY KEY, -- 1, 2, 3 ...: the order in which they are made
        change          NVARCHAR(20)  NOT NULL, -- create address, delete address, subscribe, unsubscribe, purge,
                                                -- create producer, reopen producer, forget producer,
                                                -- begin replay, end replay, keep duplicate id
        address_id      BIGINT        NULL,
        subscription_id BIGINT        NULL,
        name            NVARCHAR(400) NULL,
        kind            NVARCHAR(5)   NULL,
        quota_messages  BIGINT        NULL,
        quota_bytes     BIGINT        NULL,
        client_id       NVARCHAR(400) NULL,
        group_no        SMALLINT      NULL,
        [bit]           SMALLINT      NULL,
        from_sequence   BIGINT        NULL,
        dispatched_to   BIGINT        NULL,
        selector        NVARCHAR(MAX) NULL,
        no_local        SMALLINT      NULL,
        shared          SMALLINT      NULL,
        producer_id     BIGINT        NULL,
        incarnation     BIGINT        NULL,
        last_number     BIGINT        NULL,
        used_at         BIGINT        NULL, -- milliseconds since 1970 UTC
        position        BIGINT        NULL,
        owner           NVARCHAR(400) NULL,
        id_ordinal      BIGINT        NULL,
        id              NVARCHAR(802) NULL -- of a message: 0x and two digits for each byte
    );
    DECLARE @message NVARCHAR(2048);
    DECLARE @ordinal INT;
    DECLARE @last_ordinal INT;
    DECLARE @change NVARCHAR(20);
    DECLARE @address_id BIGINT;
    DECLARE @subscription_id BIGINT;
    DECLARE @producer_id BIGINT;
    DECLARE @from_sequence BIGINT;
    DECLARE @given_id BIGINT;
    DECLARE @changed INT;

    INSERT INTO @list (
        ordinal, change, address_id, subscription_id, name, kind, quota_messages, quota_bytes, client_id, group_no,
        [bit], from_sequence, dispatched_to, selector, no_local, shared, producer_id, incarnation, last_number,
        used_at, position, owner, id_ordinal, id)
    SELECT
        c.ordinal, c.change, c.address_id, c.subscription_id, ringtable.unescaped(c.name), c.kind, c.quota_messages,
        c.quota_bytes, ringtable.unescaped(c.client_id), c.group_no, c.[bit], c.from_sequence, c.dispatched_to,
        ringtable.unescaped(c.selector), c.no_local, c.shared, c.producer_id, c.incarnation, c.last_number, c.used_at,
        c.position, ringtable.unescaped(c.owner), c.id_ordinal, c.id
    FROM OPENJSON(@changes) WITH (
        ordinal         INT,
        change          NVARCHAR(20),
        address_id      BIGINT,
        subscription_id BIGINT,
        name            NVARCHAR(MAX),
        kind            NVARCHAR(5),
        quota_messages  BIGINT,
        quota_bytes     BIGINT,
        client_id       NVARCHAR(MAX),
        group_no        SMALLINT,
        [bit]           SMALLINT,
        from_sequence   BIGINT,
        dispatched_to   BIGINT,
        selector        NVARCHAR(MAX),
        no_local        SMALLINT,
        shared          SMALLINT,
        producer_id     BIGINT,
        incarnation     BIGINT,
        last_number     BIGINT,
        used_at         BIGINT,
        position        BIGINT,
        owner           NVARCHAR(MAX),
        id_ordinal      BIGINT,
        id              NVARCHAR(802)
    ) AS c;
    SELECT @last_ordinal = COUNT(*) FROM @list;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET next_id = shard.next_id WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;

    SET @ordinal = 1;
    WHILE @ordinal <= @last_ordinal
    BEGIN
        SET @change = NULL;
        SELECT @change = c.change, @address_id = c.address_id, @subscription_id = c.subscription_id,
               @producer_id = c.producer_id, @from_sequence = c.from_sequence
        FROM @list AS c
        WHERE c.ordinal = @ordinal;
        SET @given_id = NULL;
        SET @changed = 0;
        IF @change = 'create address'
        BEGIN
            INSERT INTO ringtable.address (shard_id, address_id, name, kind, quota_messages, quota_bytes)
            SELECT @shard_id, c.address_id, c.name, c.kind, c.quota_messages, c.quota_bytes
            FROM @list AS c
            WHERE c.ordinal = @ordinal;
            SET @changed = @@ROWCOUNT;
            SET @given_id = @address_id;
        END
        ELSE IF @change = 'delete address'
        BEGIN
            DELETE FROM ringtable.redelivery
            WHERE shard_id = @shard_id
              AND subscription_id IN (SELECT u.subscription_id
                                      FROM ringtable.subscription AS u
                                      WHERE u.shard_id = @shard_id AND u.address_id = @address_id);
            DELETE FROM ringtable.replay
            WHERE shard_id = @shard_id
              AND subscription_id IN (SELECT u.subscription_id
                                      FROM ringtable.subscription AS u
                                      WHERE u.shard_id = @shard_id AND u.address_id = @address_id);
            DELETE FROM ringtable.subscription WHERE shard_id = @shard_id AND address_id = @address_id;
            DELETE FROM ringtable.producer WHERE shard_id = @shard_id AND address_id = @address_id;
            DELETE FROM ringtable.duplicate_id WHERE shard_id = @shard_id AND address_id = @address_id;
            DELETE FROM ringtable.address WHERE shard_id = @shard_id AND address_id = @address_id;
            SET @changed = @@ROWCOUNT;
        END
        ELSE IF @change = 'subscribe'
        BEGIN
            INSERT INTO ringtable.subscription (shard_id, subscription_id, address_id, client_id, name, group_no, [bit],
                                                from_sequence, dispatched_to, selector, no_local, shared)
            SELECT @shard_id, c.subscription_id, c.address_id, c.client_id, c.name, c.group_no, c.[bit],
                   c.from_sequence, c.dispatched_to, c.selector, c.no_local, c.shared
            FROM @list AS c
            WHERE c.ordinal = @ordinal
              AND EXISTS (SELECT 1
                          FROM ringtable.address AS a
                          WHERE a.shard_id = @shard_id AND a.address_id = c.address_id);
            SET @changed = @@ROWCOUNT;
            SET @given_id = @subscription_id;
        END
        ELSE IF @change = 'unsubscribe'
        BEGIN
            DELETE FROM ringtable.subscription WHERE shard_id = @shard_id AND subscription_id = @subscription_id;
            SET @changed = @@ROWCOUNT;
            DELETE FROM ringtable.redelivery WHERE shard_id = @shard_id AND subscription_id = @subscription_id;
            DELETE FROM ringtable.replay WHERE shard_id = @shard_id AND subscription_id = @subscription_id;
        END
        ELSE IF @change = 'purge'
        BEGIN
            UPDATE ringtable.subscription SET from_sequence = @from_sequence
            WHERE shard_id = @shard_id AND subscription_id = @subscription_id;
            SET @changed = @@ROWCOUNT;
            DELETE FROM ringtable.redelivery
            WHERE shard_id = @shard_id AND subscription_id = @subscription_id AND sequence < @from_sequence;
        END
        ELSE IF @change = 'create producer'
        BEGIN
            INSERT INTO ringtable.producer (shard_id, producer_id, address_id, name, incarnation, last_number, owner,
                                            used_at)
            SELECT @shard_id, c.producer_id, c.address_id, c.name, c.incarnation, c.last_number, c.owner,
                   DATEADD(MILLISECOND, CAST(c.used_at % 1000 AS INT),
                       DATEADD(SECOND, CAST(c.used_at / 1000 % 86400 AS INT),
                           DATEADD(DAY, CAST(c.used_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3)))))
            FROM @list AS c
            WHERE c.ordinal = @ordinal
              AND EXISTS (SELECT 1
                          FROM ringtable.address AS a
                          WHERE a.shard_id = @shard_id AND a.address_id = c.address_id);
            SET @changed = @@ROWCOUNT;
            SET @given_id = @producer_id;
        END
        ELSE IF @change = 'reopen producer'
        BEGIN
            UPDATE ringtable.producer
            SET incarnation = c.incarnation,
                owner = c.owner,
                used_at = DATEADD(MILLISECOND, CAST(c.used_at % 1000 AS INT),
                    DATEADD(SECOND, CAST(c.used_at / 1000 % 86400 AS INT),
                        DATEADD(DAY, CAST(c.used_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3)))))
            FROM @list AS c
            WHERE c.ordinal = @ordinal AND producer.shard_id = @shard_id AND producer.producer_id = @producer_id;
            SET @changed = @@ROWCOUNT;
        END
        ELSE IF @change = 'forget producer'
        BEGIN
            DELETE FROM ringtable.producer WHERE shard_id = @shard_id AND producer_id = @producer_id;
            SET @changed = @@ROWCOUNT;
        END
        ELSE IF @change = 'keep duplicate id'
        BEGIN
            INSERT INTO ringtable.duplicate_id (shard_id, address_id, position, ordinal, id)
            SELECT @shard_id, c.address_id, CAST(c.position AS INT), c.id_ordinal, CONVERT(VARBINARY(400), c.id, 1)
            FROM @list AS c
            WHERE c.ordinal = @ordinal
              AND EXISTS (SELECT 1
                          FROM ringtable.address AS a
                          WHERE a.shard_id = @shard_id AND a.address_id = c.address_id);
            SET @changed = @@ROWCOUNT;
        END
        ELSE IF @change = 'begin replay'
        BEGIN
            INSERT INTO ringtable.replay (shard_id, subscription_id, position, finished)
            SELECT @shard_id, c.subscription_id, c.position, 0
            FROM @list AS c
            WHERE c.ordinal = @ordinal
              AND EXISTS (SELECT 1
                          FROM ringtable.subscription AS u
                          WHERE u.shard_id = @shard_id AND u.subscription_id = c.subscription_id);
            SET @changed = @@ROWCOUNT;
        END
        ELSE IF @change = 'end replay'
        BEGIN
            UPDATE ringtable.replay SET finished = 1
            WHERE shard_id = @shard_id AND subscription_id = @subscription_id;
            SET @changed = @@ROWCOUNT;
        END;
        IF @changed <> 1
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT(@change, ' (address ', @address_id, ', subscription ', @subscription_id,
                ', producer ', @producer_id, '): ', @changed, ' rows changed where 1 must');
            THROW 50016, @message, 1;
        END;
        IF @given_id IS NOT NULL
            UPDATE ringtable.shard SET next_id = @given_id + 1 WHERE shard_id = @shard_id AND next_id <= @given_id;
        SET @ordinal = @ordinal + 1;
    END;
    COMMIT TRANSACTION;
END;
GO
