-- The whole schema as the migrations make it, for SQL Server 2019 and newer and Azure SQL.

CREATE SCHEMA ringtable;
GO

-- The tables of Ringtable on SQL Server 2019 and newer and on Azure SQL. Prose, growth and grants: ../../README.md
-- The schema ringtable is made before this step runs.

-- Who owns a shard: these two tables never change their shape, brokers of different versions have to agree on them.

CREATE TABLE ringtable.shard (
    shard_id       INT          NOT NULL, -- number of the ring
    epoch          BIGINT       NOT NULL, -- rises by one with every owner; a write that names another one is refused
    acquired_at    DATETIME2(3) NOT NULL, -- when its owner took it, by the clock of this server
    capacity       INT          NULL,     -- slots of the ring; NULL until it is laid
    gate           BIGINT       NOT NULL, -- below it the ring has been cleared
    dispatch_bound BIGINT       NOT NULL, -- highest sequence that may have been delivered; -1 = none
    next_id        BIGINT       NOT NULL, -- lowest id never given to an address or a subscription
    slot_bytes     INT          NULL,     -- room for a body that each slot was laid with; larger ones lie in overflow
    CONSTRAINT shard_pk PRIMARY KEY CLUSTERED (shard_id),
    CONSTRAINT shard_capacity_is_whole_segments_of_blocks CHECK (capacity > 0 AND capacity % 8192 = 0),
    CONSTRAINT shard_gate_is_whole_blocks CHECK (gate >= 0 AND gate % 1024 = 0),
    CONSTRAINT shard_slot_bytes_fits_a_page CHECK (slot_bytes BETWEEN 256 AND 7900)
);

-- Apart from the owner row, so that renewing waits for no flush.
CREATE TABLE ringtable.lease (
    shard_id   INT           NOT NULL,
    epoch      BIGINT        NOT NULL, -- the epoch that this node was given
    node_id    NVARCHAR(100) NOT NULL, -- id that the owner keeps in its data directory
    node       NVARCHAR(400) NOT NULL, -- for people: host and process of the owner
    renewed_at DATETIME2(3)  NOT NULL, -- when the lease began anew, by the clock of this server
    lease_ms   BIGINT        NOT NULL, -- how long it runs from there; 0 = resigned
    CONSTRAINT lease_pk PRIMARY KEY CLUSTERED (shard_id),
    CONSTRAINT lease_shard_exists FOREIGN KEY (shard_id) REFERENCES ringtable.shard (shard_id),
    CONSTRAINT lease_is_not_negative CHECK (lease_ms >= 0)
);

-- What can be published to and read from. Names are compared byte by byte.

CREATE TABLE ringtable.address (
    shard_id       INT           NOT NULL,
    address_id     BIGINT        NOT NULL, -- never reused in its shard
    name           NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    kind           VARCHAR(5)    NOT NULL, -- queue or topic
    quota_messages BIGINT        NOT NULL, -- most messages owed on it
    quota_bytes    BIGINT        NOT NULL, -- most bytes owed on it
    CONSTRAINT address_pk PRIMARY KEY CLUSTERED (shard_id, address_id),
    CONSTRAINT address_name_is_unique UNIQUE (shard_id, name, kind),
    CONSTRAINT address_is_queue_or_topic CHECK (kind IN ('queue', 'topic'))
);

CREATE TABLE ringtable.subscription (
    shard_id        INT           NOT NULL,
    subscription_id BIGINT        NOT NULL, -- never reused in its shard
    address_id      BIGINT        NOT NULL, -- what it reads
    client_id       NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JMS client id; empty for queues and global shared ones
    name            NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- within its client id; empty for the one of a queue
    group_no        SMALLINT      NOT NULL, -- which group of 63 on its address
    [bit]           SMALLINT      NOT NULL, -- its bit in slot.pending and backlog.pending
    from_sequence   BIGINT        NOT NULL, -- it owes no message below this
    dispatched_to   BIGINT        NULL,     -- highest sequence that may have been delivered to it; NULL = the shard's bound
    selector        NVARCHAR(MAX) NULL,     -- JMS selector; NULL = every message
    shared          BIT           NOT NULL, -- whether several links may read it at once
    CONSTRAINT subscription_pk PRIMARY KEY CLUSTERED (shard_id, subscription_id),
    CONSTRAINT subscription_bit_is_held_once UNIQUE (shard_id, address_id, group_no, [bit]),
    CONSTRAINT subscription_address_exists FOREIGN KEY (shard_id, address_id)
        REFERENCES ringtable.address (shard_id, address_id),
    CONSTRAINT subscription_bit_is_0_to_62 CHECK ([bit] BETWEEN 0 AND 62),
    CONSTRAINT subscription_group_is_not_negative CHECK (group_no >= 0)
);

-- The ring: preallocated rows, overwritten in place lap after lap; settling never touches them. A row counts only while
-- gate <= sequence < next. Slot s is laid with sequence s - capacity, which the first lap supersedes.

CREATE TABLE ringtable.slot (
    shard_id        INT             NOT NULL,
    slot            INT             NOT NULL, -- sequence mod capacity, always
    sequence        BIGINT          NOT NULL, -- number of the message in its shard
    address_id      BIGINT          NOT NULL, -- where it was published
    published_at    DATETIME2(3)    NOT NULL, -- when the broker took it
    priority        TINYINT         NOT NULL, -- 0 to 9; 4 is normal
    expires_at      DATETIME2(3)    NULL,     -- NULL = never
    deliver_at      DATETIME2(3)    NULL,     -- not before; NULL = at once
    group_no        SMALLINT        NOT NULL, -- group of subscriptions that the bits of pending belong to
    reference_count TINYINT         NOT NULL, -- how many owed it when it was published
    pending         BIGINT          NOT NULL, -- their bits; what has been settled since is in settlement
    body_id         BIGINT          NULL,     -- its body in overflow; NULL = it is in this row
    body_bytes      INT             NOT NULL, -- length of the encoded message wherever it lies
    body            VARBINARY(8000) NULL,     -- the encoded AMQP message as it came
    CONSTRAINT slot_pk PRIMARY KEY CLUSTERED (shard_id, slot),
    CONSTRAINT slot_claimed_is_owed CHECK (sequence < 0 OR (pending > 0 AND reference_count BETWEEN 1 AND 63)),
    CONSTRAINT slot_body_is_here_or_in_overflow CHECK ((body IS NULL AND body_id IS NOT NULL) OR (body IS NOT NULL AND body_id IS NULL))
);

CREATE TABLE ringtable.settlement (
    shard_id INT         NOT NULL,
    block    BIGINT      NOT NULL, -- sequence / 1024
    [bit]    SMALLINT    NOT NULL, -- whose settlements; a message has one address, so (sequence, bit) names both
    settled  BINARY(128) NOT NULL, -- 1,024 bits, least significant first: sequence = block * 1024 + index
    CONSTRAINT settlement_pk PRIMARY KEY CLUSTERED (shard_id, block, [bit]),
    CONSTRAINT settlement_bit_is_0_to_62 CHECK ([bit] BETWEEN 0 AND 62)
);

-- What the ring has passed: messages that were still owed when the gate passed them, with a ledger of their own.

CREATE TABLE ringtable.backlog (
    shard_id        INT             NOT NULL,
    address_id      BIGINT          NOT NULL,
    sequence        BIGINT          NOT NULL,
    published_at    DATETIME2(3)    NOT NULL,
    priority        TINYINT         NOT NULL,
    expires_at      DATETIME2(3)    NULL,
    deliver_at      DATETIME2(3)    NULL,
    group_no        SMALLINT        NOT NULL,
    reference_count TINYINT         NOT NULL, -- how many owed it when it was moved
    pending         BIGINT          NOT NULL, -- their bits; what has been settled since is in backlog_settlement
    body_id         BIGINT          NULL,
    body_bytes      INT             NOT NULL,
    body            VARBINARY(8000) NULL,
    CONSTRAINT backlog_pk PRIMARY KEY CLUSTERED (shard_id, address_id, sequence),
    CONSTRAINT backlog_moved_is_owed CHECK (pending > 0 AND reference_count BETWEEN 1 AND 63),
    CONSTRAINT backlog_body_is_here_or_in_overflow CHECK ((body IS NULL AND body_id IS NOT NULL) OR (body IS NOT NULL AND body_id IS NULL))
);

CREATE INDEX backlog_expiring ON ringtable.backlog (shard_id, address_id, expires_at);
CREATE INDEX backlog_delayed ON ringtable.backlog (shard_id, address_id, deliver_at);
CREATE INDEX backlog_in_overflow ON ringtable.backlog (shard_id, body_id);

CREATE TABLE ringtable.backlog_settlement (
    shard_id   INT         NOT NULL,
    address_id BIGINT      NOT NULL,
    block      BIGINT      NOT NULL,
    [bit]      SMALLINT    NOT NULL,
    settled    BINARY(128) NOT NULL, -- as in settlement, for messages of this address below the gate
    CONSTRAINT backlog_settlement_pk PRIMARY KEY CLUSTERED (shard_id, address_id, block, [bit]),
    CONSTRAINT backlog_settlement_bit_is_0_to_62 CHECK ([bit] BETWEEN 0 AND 62)
);

CREATE TABLE ringtable.backlog_summary (
    shard_id         INT          NOT NULL,
    address_id       BIGINT       NOT NULL, -- one row per address that has a backlog, so that recovery need not read it
    first_sequence   BIGINT       NOT NULL,
    last_sequence    BIGINT       NOT NULL,
    messages         BIGINT       NOT NULL,
    bytes            BIGINT       NOT NULL, -- their encoded length
    first_expires_at DATETIME2(3) NULL,     -- earliest expiry; NULL = none expires
    first_deliver_at DATETIME2(3) NULL,     -- earliest delivery time; NULL = none waits
    CONSTRAINT backlog_summary_pk PRIMARY KEY CLUSTERED (shard_id, address_id),
    CONSTRAINT backlog_summary_has_messages CHECK (messages > 0 AND bytes >= 0),
    CONSTRAINT backlog_summary_first_is_not_above_last CHECK (first_sequence <= last_sequence)
);

-- Failed deliveries and large bodies.

CREATE TABLE ringtable.redelivery (
    shard_id        INT          NOT NULL,
    sequence        BIGINT       NOT NULL,
    subscription_id BIGINT       NOT NULL,
    count           INT          NOT NULL, -- failed deliveries so far; the crash of a broker is none
    not_before      DATETIME2(3) NULL,     -- not delivered again before; NULL = at once
    CONSTRAINT redelivery_pk PRIMARY KEY CLUSTERED (shard_id, sequence, subscription_id),
    CONSTRAINT redelivery_count_begins_with_1 CHECK (count >= 1)
);

CREATE TABLE ringtable.overflow (
    shard_id INT            NOT NULL,
    body_id  BIGINT         NOT NULL, -- never reused; named by slot or backlog once its message is claimed
    chunk    INT            NOT NULL, -- 0, 1, 2 ...
    chunks   INT            NOT NULL, -- how many the body has
    data     VARBINARY(MAX) NOT NULL, -- at most 1 MiB of it
    CONSTRAINT overflow_pk PRIMARY KEY CLUSTERED (shard_id, body_id, chunk),
    CONSTRAINT overflow_chunk_is_below_chunks CHECK (chunk >= 0 AND chunk < chunks),
    CONSTRAINT overflow_chunk_is_at_most_1_mib CHECK (DATALENGTH(data) <= 1048576)
);
GO

-- For people: who owes what, since when. One row per message and subscription.
CREATE VIEW ringtable.owed AS
SELECT m.shard_id,
       'ring' AS place,
       m.sequence,
       a.name AS address,
       u.subscription_id,
       u.client_id,
       u.name AS subscription,
       m.published_at,
       m.body_bytes
FROM ringtable.shard AS h
JOIN ringtable.slot AS m ON m.shard_id = h.shard_id AND m.sequence >= h.gate
JOIN ringtable.subscription AS u
    ON u.shard_id = m.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
       AND u.from_sequence <= m.sequence AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
JOIN ringtable.address AS a ON a.shard_id = m.shard_id AND a.address_id = m.address_id
LEFT JOIN ringtable.settlement AS l
    ON l.shard_id = m.shard_id AND l.block = m.sequence / 1024 AND l.[bit] = u.[bit]
-- the byte of this sequence in the bitmap, and of that the bit
WHERE l.settled IS NULL
   OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT) & POWER(2, CAST(m.sequence % 8 AS INT)) = 0
UNION ALL
SELECT m.shard_id,
       'backlog',
       m.sequence,
       a.name,
       u.subscription_id,
       u.client_id,
       u.name,
       m.published_at,
       m.body_bytes
FROM ringtable.backlog AS m
JOIN ringtable.subscription AS u
    ON u.shard_id = m.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
       AND u.from_sequence <= m.sequence AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
JOIN ringtable.address AS a ON a.shard_id = m.shard_id AND a.address_id = m.address_id
LEFT JOIN ringtable.backlog_settlement AS l
    ON l.shard_id = m.shard_id AND l.address_id = m.address_id AND l.block = m.sequence / 1024 AND l.[bit] = u.[bit]
WHERE l.settled IS NULL
   OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT) & POWER(2, CAST(m.sequence % 8 AS INT)) = 0;
GO

-- For people: where each message stands, and how many owe it now.
CREATE VIEW ringtable.messages AS
SELECT m.shard_id,
       'ring' AS place,
       m.sequence,
       m.slot,
       a.name AS address,
       m.published_at,
       m.priority,
       m.expires_at,
       m.deliver_at,
       m.body_bytes,
       m.reference_count AS references_at_publish,
       (SELECT COUNT(*)
        FROM ringtable.owed AS o
        WHERE o.shard_id = m.shard_id AND o.place = 'ring' AND o.sequence = m.sequence) AS reference_count
FROM ringtable.shard AS h
JOIN ringtable.slot AS m ON m.shard_id = h.shard_id AND m.sequence >= h.gate
LEFT JOIN ringtable.address AS a ON a.shard_id = m.shard_id AND a.address_id = m.address_id
UNION ALL
SELECT m.shard_id,
       'backlog',
       m.sequence,
       NULL,
       a.name,
       m.published_at,
       m.priority,
       m.expires_at,
       m.deliver_at,
       m.body_bytes,
       m.reference_count,
       (SELECT COUNT(*)
        FROM ringtable.owed AS o
        WHERE o.shard_id = m.shard_id AND o.place = 'backlog' AND o.sequence = m.sequence)
FROM ringtable.backlog AS m
LEFT JOIN ringtable.address AS a ON a.shard_id = m.shard_id AND a.address_id = m.address_id;
GO

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
