-- The verbs that are one call each, and the table types that carry their rows. They throw 50015 (fenced), 50016 (a
-- relation that must hold does not) and 50017 (another capacity).

CREATE TYPE ringtable.claim_list AS TABLE (
    sequence        BIGINT          NOT NULL PRIMARY KEY,
    address_id      BIGINT          NOT NULL,
    published_at    DATETIME2(3)    NOT NULL,
    priority        TINYINT         NOT NULL,
    expires_at      DATETIME2(3)    NULL,
    deliver_at      DATETIME2(3)    NULL,
    group_no        SMALLINT        NOT NULL,
    reference_count TINYINT         NOT NULL,
    pending         BIGINT          NOT NULL,
    body_id         BIGINT          NULL,
    body_bytes      INT             NOT NULL,
    body            VARBINARY(8000) NULL
);

CREATE TYPE ringtable.settlement_list AS TABLE (
    block   BIGINT      NOT NULL,
    [bit]   SMALLINT    NOT NULL,
    settled BINARY(128) NOT NULL,
    PRIMARY KEY (block, [bit])
);

CREATE TYPE ringtable.backlog_settlement_list AS TABLE (
    address_id BIGINT      NOT NULL,
    block      BIGINT      NOT NULL,
    [bit]      SMALLINT    NOT NULL,
    settled    BINARY(128) NOT NULL,
    PRIMARY KEY (address_id, block, [bit])
);

CREATE TYPE ringtable.redelivery_list AS TABLE (
    sequence        BIGINT       NOT NULL,
    subscription_id BIGINT       NOT NULL,
    count           INT          NOT NULL, -- 0 = the row goes
    not_before      DATETIME2(3) NULL,
    PRIMARY KEY (sequence, subscription_id)
);

CREATE TYPE ringtable.dispatched_list AS TABLE (
    subscription_id BIGINT NOT NULL PRIMARY KEY,
    dispatched_to   BIGINT NULL -- NULL = the bound of the shard applies
);
GO

-- Lays the ring of a shard, once in its life: slot s holds sequence s - capacity. Each row is laid as long as it will ever be:
-- @slot_bytes for the body and 14 for the tag that row versioning adds at its first change, so that no lap splits a page.
CREATE PROCEDURE ringtable.lay_ring
    @shard_id INT,
    @epoch BIGINT,
    @capacity INT,
    @slot_bytes INT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @laid INT;
    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET capacity = @capacity, slot_bytes = @slot_bytes
    WHERE shard_id = @shard_id AND epoch = @epoch AND capacity IS NULL;
    IF @@ROWCOUNT = 1
    BEGIN
        WITH digit (n) AS (
            SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) AS d (n)),
        number (n) AS (
            SELECT a.n + 16 * b.n + 256 * c.n + 4096 * d.n + 65536 * e.n + 1048576 * f.n
            FROM digit AS a CROSS JOIN digit AS b CROSS JOIN digit AS c CROSS JOIN digit AS d CROSS JOIN digit AS e
            CROSS JOIN digit AS f)
        INSERT INTO ringtable.slot (shard_id, slot, sequence, address_id, published_at, priority, expires_at, deliver_at,
                                    group_no, reference_count, pending, body_id, body_bytes, body)
        SELECT @shard_id, n, CAST(n AS BIGINT) - @capacity, 0, SYSUTCDATETIME(), 0, NULL, NULL, 0, 0, 0, NULL, 0,
               CAST(REPLICATE(CAST('0' AS VARCHAR(8000)), @slot_bytes + 14) AS VARBINARY(8000))
        FROM number
        WHERE n < @capacity
        ORDER BY n;
        IF @@ROWCOUNT <> @capacity
        BEGIN
            ROLLBACK TRANSACTION;
            THROW 50016, 'slot: another number of rows was laid than the ring has', 1;
        END;
    END
    ELSE
    BEGIN
        SELECT @laid = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id AND h.epoch = @epoch;
        IF @laid IS NULL
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
            THROW 50015, @message, 1;
        END;
        IF @laid <> @capacity
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('ring.capacity=', @capacity, ' is not the capacity ', @laid, ' that the ring of shard ',
                @shard_id, ' was laid with');
            THROW 50017, @message, 1;
        END;
    END;
    COMMIT TRANSACTION;
END;
GO

-- flush: one batch; claims, settlements, failed deliveries and bounds become durable together, in one call, commit included.
-- Locks:       READ COMMITTED, with or without row versioning; the owner row first, exclusive until commit.
-- Access path: slot_pk, settlement_pk and backlog_settlement_pk, one seek per row of the batch (LOOP JOIN: a plan that was
--              compiled for a full batch would scan the ring for every single message).
-- Limits:      at most 4,096 claims, so that the locks of a batch are not escalated to the table.
-- Changes:     exactly one row per claim, each the one that it supersedes, and per block and bit; else nothing.
CREATE PROCEDURE ringtable.flush
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @dispatch_bound BIGINT, -- -1 = unchanged
    @claims ringtable.claim_list READONLY,
    @settlements ringtable.settlement_list READONLY,
    @backlog_settlements ringtable.backlog_settlement_list READONLY,
    @redeliveries ringtable.redelivery_list READONLY,
    @dispatched ringtable.dispatched_list READONLY
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_epoch BIGINT;
    DECLARE @held_gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @first BIGINT;
    DECLARE @last BIGINT;
    DECLARE @expected INT;
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

    SELECT @expected = COUNT(*), @first = MIN(c.sequence), @last = MAX(c.sequence) FROM @claims AS c;
    IF @expected > 0
    BEGIN
        SELECT @capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
        -- Below the gate nothing is owed, so what a claim supersedes must lie there; and claims leave no hole.
        IF @last - @capacity >= @gate OR @last - @first + 1 <> @expected
           OR NOT EXISTS (SELECT 1
                          FROM ringtable.slot AS s
                          WHERE s.shard_id = @shard_id
                            AND s.slot = CAST((@first - 1 + @capacity) % @capacity AS INT)
                            AND s.sequence = @first - 1)
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT(@expected, ' claims from sequence ', @first, ' to ', @last,
                ' do not follow the highest sequence in the ring, or do not lie below gate + capacity ', @gate + @capacity);
            THROW 50016, @message, 1;
        END;
        UPDATE ringtable.slot
        SET sequence = c.sequence, address_id = c.address_id, published_at = c.published_at, priority = c.priority,
            expires_at = c.expires_at, deliver_at = c.deliver_at, group_no = c.group_no,
            reference_count = c.reference_count, pending = c.pending, body_id = c.body_id, body_bytes = c.body_bytes,
            body = c.body
        FROM @claims AS c
        WHERE slot.shard_id = @shard_id
          AND slot.slot = CAST(c.sequence % @capacity AS INT)
          AND slot.sequence = c.sequence - @capacity
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed <> @expected
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('slot: ', @changed, ' rows changed where ', @expected, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    SELECT @expected = COUNT(*), @first = MIN(s.block), @last = MAX(s.block) FROM @settlements AS s;
    IF @expected > 0
    BEGIN
        IF @first < @gate / 1024
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('settlement: block ', @first, ' lies below gate ', @gate);
            THROW 50016, @message, 1;
        END;
        UPDATE ringtable.settlement
        SET settled = n.settled
        FROM @settlements AS n
        WHERE settlement.shard_id = @shard_id AND settlement.block = n.block AND settlement.[bit] = n.[bit]
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed < @expected
        BEGIN
            INSERT INTO ringtable.settlement (shard_id, block, [bit], settled)
            SELECT @shard_id, n.block, n.[bit], n.settled
            FROM @settlements AS n
            WHERE NOT EXISTS (SELECT 1
                              FROM ringtable.settlement AS l
                              WHERE l.shard_id = @shard_id AND l.block = n.block AND l.[bit] = n.[bit]);
            SET @changed = @changed + @@ROWCOUNT;
        END;
        IF @changed <> @expected
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('settlement: ', @changed, ' rows changed where ', @expected, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    SELECT @expected = COUNT(*), @last = MAX(s.block) FROM @backlog_settlements AS s;
    IF @expected > 0
    BEGIN
        IF @last >= @gate / 1024
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('backlog_settlement: block ', @last, ' does not lie below gate ', @gate);
            THROW 50016, @message, 1;
        END;
        UPDATE ringtable.backlog_settlement
        SET settled = n.settled
        FROM @backlog_settlements AS n
        WHERE backlog_settlement.shard_id = @shard_id AND backlog_settlement.address_id = n.address_id
          AND backlog_settlement.block = n.block AND backlog_settlement.[bit] = n.[bit]
        OPTION (LOOP JOIN);
        SET @changed = @@ROWCOUNT;
        IF @changed < @expected
        BEGIN
            INSERT INTO ringtable.backlog_settlement (shard_id, address_id, block, [bit], settled)
            SELECT @shard_id, n.address_id, n.block, n.[bit], n.settled
            FROM @backlog_settlements AS n
            WHERE NOT EXISTS (SELECT 1
                              FROM ringtable.backlog_settlement AS l
                              WHERE l.shard_id = @shard_id AND l.address_id = n.address_id AND l.block = n.block
                                AND l.[bit] = n.[bit]);
            SET @changed = @changed + @@ROWCOUNT;
        END;
        IF @changed <> @expected
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('backlog_settlement: ', @changed, ' rows changed where ', @expected, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    IF EXISTS (SELECT 1 FROM @redeliveries)
    BEGIN
        DELETE FROM ringtable.redelivery
        WHERE shard_id = @shard_id
          AND EXISTS (SELECT 1
                      FROM @redeliveries AS f
                      WHERE f.sequence = redelivery.sequence AND f.subscription_id = redelivery.subscription_id
                        AND f.count = 0);
        UPDATE ringtable.redelivery
        SET count = f.count, not_before = f.not_before
        FROM @redeliveries AS f
        WHERE redelivery.shard_id = @shard_id AND redelivery.sequence = f.sequence
          AND redelivery.subscription_id = f.subscription_id AND f.count > 0;
        INSERT INTO ringtable.redelivery (shard_id, sequence, subscription_id, count, not_before)
        SELECT @shard_id, f.sequence, f.subscription_id, f.count, f.not_before
        FROM @redeliveries AS f
        WHERE f.count > 0
          AND NOT EXISTS (SELECT 1
                          FROM ringtable.redelivery AS r
                          WHERE r.shard_id = @shard_id AND r.sequence = f.sequence
                            AND r.subscription_id = f.subscription_id);
    END;

    -- A subscription that has gone meanwhile is passed over: nobody asks for its bound any more.
    IF EXISTS (SELECT 1 FROM @dispatched)
        UPDATE ringtable.subscription
        SET dispatched_to = d.dispatched_to
        FROM @dispatched AS d
        WHERE subscription.shard_id = @shard_id AND subscription.subscription_id = d.subscription_id;

    COMMIT TRANSACTION;
END;
GO
