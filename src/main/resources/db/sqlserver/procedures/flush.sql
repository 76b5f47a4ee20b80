-- flush: makes one batch of claims, settlements, failed deliveries and bounds durable together.
-- Called by:   statements/flush.sql, once per batch, commit included; flush_inbox and flush_once.
-- Locks:       the owner row first, exclusive until commit; then one key and at most one page per claim, block and bit.
-- Access path: slot_pk, settlement_pk and backlog_settlement_pk, one seek per row of the batch.
-- Changes:     exactly one row per claim, each the one that it supersedes, and per block and bit; else nothing.
--
-- READ COMMITTED, with or without row versioning. 2 x 2,000 locks < 5,000: nothing is escalated. @rows_sent is how many
-- rows the caller put into all lists together: a list that arrived short is refused.
DROP PROCEDURE IF EXISTS ringtable.flush;
GO

CREATE PROCEDURE ringtable.flush
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @dispatch_bound BIGINT, -- -1 = unchanged
    @rows_sent INT,
    @claims ringtable.message_list READONLY,
    @settlements ringtable.settlement_list READONLY,
    @backlog_settlements ringtable.backlog_settlement_list READONLY,
    @redeliveries ringtable.redelivery_list READONLY,
    @dispatched ringtable.dispatched_list READONLY
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @none TABLE (id INT NOT NULL); -- stays empty, see README.md
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_epoch BIGINT;
    DECLARE @held_gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @first BIGINT;
    DECLARE @last BIGINT;
    DECLARE @highest BIGINT; -- in the slot before the first claim
    DECLARE @from_sequence BIGINT;
    DECLARE @to_sequence BIGINT;
    DECLARE @from_slot INT;
    DECLARE @to_slot INT;
    DECLARE @claims_sent INT;
    DECLARE @settlements_sent INT;
    DECLARE @backlog_settlements_sent INT;
    DECLARE @redeliveries_sent INT;
    DECLARE @dispatched_sent INT;
    DECLARE @changed INT;

    BEGIN TRANSACTION;

    -- Epoch and gate stand in the predicate: they are read under the very lock that the change takes.
    UPDATE ringtable.shard
    SET dispatch_bound = CASE WHEN @dispatch_bound >= 0 THEN @dispatch_bound ELSE shard.dispatch_bound END
    WHERE shard_id = @shard_id AND epoch = @epoch AND gate = @gate;
    IF @@ROWCOUNT <> 1
    BEGIN
        SELECT @held_epoch = h.epoch, @held_gate = h.gate FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
        ROLLBACK TRANSACTION;
        IF @held_epoch = @epoch
        BEGIN
            SET @message = CONCAT('gate ', @gate, ' is not the gate ', @held_gate, ' of shard ', @shard_id);
            THROW 50016, @message, 1;
        END;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch ', @held_epoch, ' of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;

    SELECT @claims_sent = COUNT(*), @first = MIN(c.sequence), @last = MAX(c.sequence)
    FROM @claims AS c WHERE NOT EXISTS (SELECT 1 FROM @none);
    SELECT @settlements_sent = COUNT(*) FROM @settlements WHERE NOT EXISTS (SELECT 1 FROM @none);
    SELECT @backlog_settlements_sent = COUNT(*) FROM @backlog_settlements WHERE NOT EXISTS (SELECT 1 FROM @none);
    SELECT @redeliveries_sent = COUNT(*) FROM @redeliveries WHERE NOT EXISTS (SELECT 1 FROM @none);
    SELECT @dispatched_sent = COUNT(*) FROM @dispatched WHERE NOT EXISTS (SELECT 1 FROM @none);
    SET @changed = @claims_sent + @settlements_sent + @backlog_settlements_sent + @redeliveries_sent + @dispatched_sent;
    IF @changed <> @rows_sent
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('flush: ', @changed, ' rows arrived where ', @rows_sent, ' were sent');
        THROW 50016, @message, 1;
    END;

    IF @claims_sent > 0
    BEGIN
        SELECT @capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
        SELECT @highest = s.sequence
        FROM ringtable.slot AS s
        WHERE s.shard_id = @shard_id AND s.slot = CAST((@first - 1 + @capacity) % @capacity AS INT);
        -- Below the gate nothing is owed, so what a claim supersedes must lie there; and claims leave no hole.
        IF @last - @capacity >= @gate OR @last - @first + 1 <> @claims_sent OR @highest IS NULL
           OR @highest <> @first - 1
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT(@claims_sent, ' claims from sequence ', @first, ' to ', @last,
                ' do not follow the highest sequence in the ring, or do not lie below gate + capacity ',
                @gate + @capacity);
            THROW 50016, @message, 1;
        END;
        SET @changed = 0;
        SET @from_sequence = @first;
        -- Once; twice where the batch goes past the last slot and on from slot 0.
        WHILE @from_sequence <= @last
        BEGIN
            SET @to_sequence = @from_sequence - @from_sequence % @capacity + @capacity - 1;
            IF @to_sequence > @last SET @to_sequence = @last;
            SET @from_slot = CAST(@from_sequence % @capacity AS INT);
            SET @to_slot = CAST(@to_sequence % @capacity AS INT);
            UPDATE ringtable.slot
            SET sequence = c.sequence,
                address_id = c.address_id,
                published_at = DATEADD(MILLISECOND, CAST(c.published_at % 1000 AS INT),
                    DATEADD(SECOND, CAST(c.published_at / 1000 % 86400 AS INT),
                        DATEADD(DAY, CAST(c.published_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3))))),
                priority = c.priority,
                expires_at = CASE
                    WHEN c.expires_at = 253402300799999 THEN CAST('9999-12-31 23:59:59.999' AS DATETIME2(3))
                    WHEN c.expires_at <> 0
                    THEN DATEADD(MILLISECOND, CAST(c.expires_at % 1000 AS INT),
                        DATEADD(SECOND, CAST(c.expires_at / 1000 % 86400 AS INT),
                            DATEADD(DAY, CAST(c.expires_at / 86400000 AS INT),
                                CAST('1970-01-01' AS DATETIME2(3))))) END,
                deliver_at = CASE
                    WHEN c.deliver_at = 253402300799999 THEN CAST('9999-12-31 23:59:59.999' AS DATETIME2(3))
                    WHEN c.deliver_at <> 0
                    THEN DATEADD(MILLISECOND, CAST(c.deliver_at % 1000 AS INT),
                        DATEADD(SECOND, CAST(c.deliver_at / 1000 % 86400 AS INT),
                            DATEADD(DAY, CAST(c.deliver_at / 86400000 AS INT),
                                CAST('1970-01-01' AS DATETIME2(3))))) END,
                group_no = c.group_no,
                reference_count = c.reference_count,
                pending = c.pending,
                body_id = c.body_id,
                body_bytes = c.body_bytes,
                body = c.body,
                login_id = c.login_id
            FROM @claims AS c
            WHERE NOT EXISTS (SELECT 1 FROM @none)
              AND slot.shard_id = @shard_id
              AND slot.slot >= @from_slot
              AND slot.slot <= @to_slot
              AND c.sequence >= @from_sequence
              AND c.sequence <= @to_sequence
              AND slot.slot = CAST(c.sequence % @capacity AS INT) -- seeks the slot of a claim
              AND c.sequence = slot.sequence + @capacity -- seeks the claim of a slot
            OPTION (LOOP JOIN, KEEPFIXED PLAN);
            SET @changed = @changed + @@ROWCOUNT;
            SET @from_sequence = @to_sequence + 1;
        END;
        IF @changed <> @claims_sent
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('slot: ', @changed, ' rows changed where ', @claims_sent, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    IF @settlements_sent > 0
    BEGIN
        SELECT @first = MIN(s.block), @last = MAX(s.block)
        FROM @settlements AS s WHERE NOT EXISTS (SELECT 1 FROM @none);
        IF @first < @gate / 1024
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('settlement: block ', @first, ' lies below gate ', @gate);
            THROW 50016, @message, 1;
        END;
        UPDATE ringtable.settlement
        SET settled = n.settled
        FROM @settlements AS n
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND settlement.shard_id = @shard_id
          AND settlement.block >= @first
          AND settlement.block <= @last
          AND settlement.block = n.block
          AND settlement.[bit] = n.[bit]
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed < @settlements_sent
        BEGIN
            INSERT INTO ringtable.settlement (shard_id, block, [bit], settled)
            SELECT @shard_id, n.block, n.[bit], n.settled
            FROM @settlements AS n
            WHERE NOT EXISTS (SELECT 1 FROM @none)
              AND NOT EXISTS (SELECT 1
                              FROM ringtable.settlement AS l
                              WHERE l.shard_id = @shard_id AND l.block = n.block AND l.[bit] = n.[bit])
            OPTION (LOOP JOIN);
            SET @changed = @changed + @@ROWCOUNT;
        END;
        IF @changed <> @settlements_sent
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('settlement: ', @changed, ' rows changed where ', @settlements_sent, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    IF @backlog_settlements_sent > 0
    BEGIN
        SELECT @last = MAX(s.block) FROM @backlog_settlements AS s WHERE NOT EXISTS (SELECT 1 FROM @none);
        IF @last >= @gate / 1024
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('backlog_settlement: block ', @last, ' does not lie below gate ', @gate);
            THROW 50016, @message, 1;
        END;
        SELECT @first = MIN(s.address_id), @last = MAX(s.address_id)
        FROM @backlog_settlements AS s WHERE NOT EXISTS (SELECT 1 FROM @none);
        UPDATE ringtable.backlog_settlement
        SET settled = n.settled
        FROM @backlog_settlements AS n
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND backlog_settlement.shard_id = @shard_id
          AND backlog_settlement.address_id >= @first
          AND backlog_settlement.address_id <= @last
          AND backlog_settlement.address_id = n.address_id
          AND backlog_settlement.block = n.block
          AND backlog_settlement.[bit] = n.[bit]
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed < @backlog_settlements_sent
        BEGIN
            INSERT INTO ringtable.backlog_settlement (shard_id, address_id, block, [bit], settled)
            SELECT @shard_id, n.address_id, n.block, n.[bit], n.settled
            FROM @backlog_settlements AS n
            WHERE NOT EXISTS (SELECT 1 FROM @none)
              AND NOT EXISTS (SELECT 1
                              FROM ringtable.backlog_settlement AS l
                              WHERE l.shard_id = @shard_id AND l.address_id = n.address_id AND l.block = n.block
                                AND l.[bit] = n.[bit])
            OPTION (LOOP JOIN);
            SET @changed = @changed + @@ROWCOUNT;
        END;
        IF @changed <> @backlog_settlements_sent
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('backlog_settlement: ', @changed, ' rows changed where ', @backlog_settlements_sent,
                ' must');
            THROW 50016, @message, 1;
        END;
    END;

    IF @redeliveries_sent > 0
    BEGIN
        SELECT @first = MIN(f.sequence), @last = MAX(f.sequence)
        FROM @redeliveries AS f WHERE NOT EXISTS (SELECT 1 FROM @none);
        DELETE FROM ringtable.redelivery
        WHERE shard_id = @shard_id
          AND sequence >= @first
          AND sequence <= @last
          AND EXISTS (SELECT 1
                      FROM @redeliveries AS f
                      WHERE NOT EXISTS (SELECT 1 FROM @none)
                        AND f.sequence = redelivery.sequence AND f.subscription_id = redelivery.subscription_id
                        AND f.count = 0)
        OPTION (LOOP JOIN);
        UPDATE ringtable.redelivery
        SET count = f.count,
            not_before = CASE WHEN f.not_before = 253402300799999 THEN CAST('9999-12-31 23:59:59.999' AS DATETIME2(3))
                WHEN f.not_before <> 0
                THEN DATEADD(MILLISECOND, CAST(f.not_before % 1000 AS INT),
                    DATEADD(SECOND, CAST(f.not_before / 1000 % 86400 AS INT),
                        DATEADD(DAY, CAST(f.not_before / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3))))) END
        FROM @redeliveries AS f
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND redelivery.shard_id = @shard_id
          AND redelivery.sequence >= @first
          AND redelivery.sequence <= @last
          AND redelivery.sequence = f.sequence
          AND redelivery.subscription_id = f.subscription_id
          AND f.count > 0
        OPTION (LOOP JOIN);
        INSERT INTO ringtable.redelivery (shard_id, sequence, subscription_id, count, not_before)
        SELECT @shard_id, f.sequence, f.subscription_id, f.count,
               CASE WHEN f.not_before = 253402300799999 THEN CAST('9999-12-31 23:59:59.999' AS DATETIME2(3))
                   WHEN f.not_before <> 0
                   THEN DATEADD(MILLISECOND, CAST(f.not_before % 1000 AS INT),
                       DATEADD(SECOND, CAST(f.not_before / 1000 % 86400 AS INT),
                           DATEADD(DAY, CAST(f.not_before / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3))))) END
        FROM @redeliveries AS f
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND f.count > 0
          AND NOT EXISTS (SELECT 1
                          FROM ringtable.redelivery AS r
                          WHERE r.shard_id = @shard_id AND r.sequence = f.sequence
                            AND r.subscription_id = f.subscription_id)
        OPTION (LOOP JOIN);
    END;

    -- A subscription that has gone meanwhile is passed over: nobody asks for its bound any more.
    IF @dispatched_sent > 0
        UPDATE ringtable.subscription
        SET dispatched_to = NULLIF(d.dispatched_to, -1)
        FROM @dispatched AS d
        WHERE NOT EXISTS (SELECT 1 FROM @none)
          AND subscription.shard_id = @shard_id AND subscription.subscription_id = d.subscription_id
        OPTION (LOOP JOIN);

    COMMIT TRANSACTION;
END;
GO
