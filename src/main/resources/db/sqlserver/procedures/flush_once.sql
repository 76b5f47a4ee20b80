-- flush_once: makes a batch durable with messages that are stored or copied once, together with what says so.
-- Called by:   statements/flush_once.sql, for such a batch in place of flush.
-- Locks:       as flush or flush_inbox, which comes first; then one key per producer, id and replay.
-- Access path: as flush and flush_inbox; producer_pk, duplicate_id_pk and replay_pk, one seek per row.
-- Changes:     as flush, and exactly one row per producer, id and replay, none of which goes back; else nothing.
--
-- Apart from flush, which stays as short as it is for everybody else. The batch may have something of the inbox in it
-- as well. No id overwrites a younger one. @once_rows_sent is how many rows the caller put into the last three lists.
DROP PROCEDURE IF EXISTS ringtable.flush_once;
GO

CREATE PROCEDURE ringtable.flush_once
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @dispatch_bound BIGINT,
    @rows_sent INT,
    @claims ringtable.message_list READONLY,
    @settlements ringtable.settlement_list READONLY,
    @backlog_settlements ringtable.backlog_settlement_list READONLY,
    @redeliveries ringtable.redelivery_list READONLY,
    @dispatched ringtable.dispatched_list READONLY,
    @inbox_ids NVARCHAR(MAX), -- a JSON array, none twice; perhaps empty
    @once_rows_sent INT,
    @producers ringtable.producer_list READONLY,
    @duplicate_ids ringtable.duplicate_id_list READONLY,
    @replays ringtable.replay_list READONLY
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @none TABLE (id INT NOT NULL); -- stays empty, see README.md
    DECLARE @message NVARCHAR(2048);
    DECLARE @producers_sent INT;
    DECLARE @ids_sent INT;
    DECLARE @replays_sent INT;
    DECLARE @first BIGINT;
    DECLARE @last BIGINT;
    DECLARE @changed INT;

    BEGIN TRANSACTION;
    -- Its own COMMIT only counts down: what it did becomes durable with the one below, or not at all.
    IF @inbox_ids = N'[]'
        EXECUTE ringtable.flush @shard_id, @epoch, @gate, @dispatch_bound, @rows_sent, @claims, @settlements,
            @backlog_settlements, @redeliveries, @dispatched;
    ELSE
        EXECUTE ringtable.flush_inbox @shard_id, @epoch, @gate, @dispatch_bound, @rows_sent, @claims, @settlements,
            @backlog_settlements, @redeliveries, @dispatched, @inbox_ids;

    SELECT @producers_sent = COUNT(*), @first = MIN(p.producer_id), @last = MAX(p.producer_id)
    FROM @producers AS p WHERE NOT EXISTS (SELECT 1 FROM @none);
    SELECT @ids_sent = COUNT(*) FROM @duplicate_ids WHERE NOT EXISTS (SELECT 1 FROM @none);
    SELECT @replays_sent = COUNT(*) FROM @replays WHERE NOT EXISTS (SELECT 1 FROM @none);
    IF @producers_sent + @ids_sent + @replays_sent <> @once_rows_sent
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('flush_once: ', @producers_sent + @ids_sent + @replays_sent, ' rows arrived where ',
            @once_rows_sent, ' were sent');
        THROW 50016, @message, 1;
    END;

    IF @producers_sent > 0
    BEGIN
        UPDATE ringtable.producer
        SET last_number = n.last_number,
            used_at = DATEADD(MILLISECOND, CAST(n.used_at % 1000 AS INT),
                DATEADD(SECOND, CAST(n.used_at / 1000 % 86400 AS INT),
                    DATEADD(DAY, CAST(n.used_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3)))))
        FROM @producers AS n
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND producer.shard_id = @shard_id
          AND producer.producer_id >= @first
          AND producer.producer_id <= @last
          AND producer.producer_id = n.producer_id
          AND producer.last_number <= n.last_number
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed <> @producers_sent
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('producer: ', @changed, ' rows changed where ', @producers_sent, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    IF @ids_sent > 0
    BEGIN
        SELECT @first = MIN(n.address_id), @last = MAX(n.address_id)
        FROM @duplicate_ids AS n WHERE NOT EXISTS (SELECT 1 FROM @none);
        UPDATE ringtable.duplicate_id
        SET ordinal = n.ordinal, id = n.id
        FROM @duplicate_ids AS n
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND duplicate_id.shard_id = @shard_id
          AND duplicate_id.address_id >= @first
          AND duplicate_id.address_id <= @last
          AND duplicate_id.address_id = n.address_id
          AND duplicate_id.position = n.position
          AND duplicate_id.ordinal <= n.ordinal
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed < @ids_sent
        BEGIN
            INSERT INTO ringtable.duplicate_id (shard_id, address_id, position, ordinal, id)
            SELECT @shard_id, n.address_id, n.position, n.ordinal, n.id
            FROM @duplicate_ids AS n
            WHERE NOT EXISTS (SELECT 1 FROM @none)
              AND NOT EXISTS (SELECT 1
                              FROM ringtable.duplicate_id AS d
                              WHERE d.shard_id = @shard_id AND d.address_id = n.address_id AND d.position = n.position)
            OPTION (LOOP JOIN);
            SET @changed = @changed + @@ROWCOUNT;
        END;
        IF @changed <> @ids_sent
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('duplicate_id: ', @changed, ' rows changed where ', @ids_sent, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    IF @replays_sent > 0
    BEGIN
        SELECT @first = MIN(r.subscription_id), @last = MAX(r.subscription_id)
        FROM @replays AS r WHERE NOT EXISTS (SELECT 1 FROM @none);
        UPDATE ringtable.replay
        SET position = n.position
        FROM @replays AS n
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND replay.shard_id = @shard_id
          AND replay.subscription_id >= @first
          AND replay.subscription_id <= @last
          AND replay.subscription_id = n.subscription_id
          AND replay.position <= n.position
          AND replay.finished = 0
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed <> @replays_sent
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('replay: ', @changed, ' rows changed where ', @replays_sent, ' must');
            THROW 50016, @message, 1;
        END;
    END;
    COMMIT TRANSACTION;
END;
GO
