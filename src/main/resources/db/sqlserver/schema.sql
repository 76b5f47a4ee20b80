-- The whole schema as the migrations make it, for SQL Server 2019 and newer and Azure SQL.

CREATE SCHEMA ringtable;
GO

-- The tables of Ringtable on SQL Server 2019 and newer and on Azure SQL. Prose, growth and grants: ../../README.md
-- The schema ringtable is made before this step runs.
-- There are no foreign keys: alter_catalog checks that the address of a subscription exists, and acquire writes shard and lease
-- together. (On a compatible server the check of a foreign key fails when it is planned anew: Babelfish 4.3.)

-- Who owns a shard: these two tables never change their shape, brokers of different versions have to agree on them.

CREATE TABLE ringtable.shard (
    shard_id       INT          NOT NULL, -- number of the ring
    epoch          BIGINT       NOT NULL, -- rises by one with every owner; a write that names another one is refused
    acquired_at    DATETIME2(3) NOT NULL, -- when its owner took it, by the clock of this server
    capacity       INT          NULL,     -- slots of the ring; NULL until it is laid
    gate           BIGINT       NOT NULL, -- below it the ring has been cleared
    dispatch_bound BIGINT       NOT NULL, -- highest sequence that may have been delivered; -1 = none
    next_id        BIGINT       NOT NULL, -- lowest id never given to an address, a subscription or a producer
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
    no_local        BIT           NOT NULL, -- whether it gets nothing that its own client published
    shared          BIT           NOT NULL, -- whether several links may read it at once
    CONSTRAINT subscription_pk PRIMARY KEY NONCLUSTERED (shard_id, subscription_id),
    -- Clustered, because whoever asks what is owed comes with an address and a group, and wants from_sequence too.
    CONSTRAINT subscription_bit_is_held_once UNIQUE CLUSTERED (shard_id, address_id, group_no, [bit]),
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

-- What keeps a message from being stored twice: written with the messages it speaks of, by the same flush.

CREATE TABLE ringtable.producer (
    shard_id    INT           NOT NULL,
    producer_id BIGINT        NOT NULL, -- never reused in its shard
    address_id  BIGINT        NOT NULL, -- where it publishes numbered messages
    name        NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL, -- the producer id that its application chose
    incarnation BIGINT        NOT NULL, -- rises whenever an application opens it anew: earlier ones are fenced
    last_number BIGINT        NOT NULL, -- number of its last message that is stored; 0 = none
    used_at     DATETIME2(3)  NOT NULL, -- when it was opened, or its last message was taken
    CONSTRAINT producer_pk PRIMARY KEY CLUSTERED (shard_id, producer_id),
    CONSTRAINT producer_name_is_unique UNIQUE NONCLUSTERED (shard_id, address_id, name),
    CONSTRAINT producer_incarnation_begins_with_1 CHECK (incarnation >= 1),
    CONSTRAINT producer_last_number_is_not_negative CHECK (last_number >= 0)
);

CREATE TABLE ringtable.duplicate_id (
    shard_id   INT            NOT NULL,
    address_id BIGINT         NOT NULL, -- whose messages came with the id (_AMQ_DUPL_ID)
    position   INT            NOT NULL, -- 0, 1, 2 ... below commit.duplicate-ids: the oldest of the window is overwritten
    ordinal    BIGINT         NOT NULL, -- rises by one with every id of the address
    id         VARBINARY(400) NOT NULL, -- a string in UTF-8, or the bytes that the publisher gave
    CONSTRAINT duplicate_id_pk PRIMARY KEY CLUSTERED (shard_id, address_id, position),
    CONSTRAINT duplicate_id_is_not_empty CHECK (DATALENGTH(id) > 0),
    CONSTRAINT duplicate_id_position_is_not_negative CHECK (position >= 0 AND ordinal >= 0)
);
GO

-- For people: what can be published to, how many read it, and what of it lies in the backlog.
CREATE VIEW ringtable.addresses AS
SELECT a.shard_id,
       a.address_id,
       a.name AS address,
       a.kind,
       (SELECT COUNT(*)
        FROM ringtable.subscription AS u
        WHERE u.shard_id = a.shard_id AND u.address_id = a.address_id) AS subscriptions,
       COALESCE(b.messages, 0) AS backlog_messages,
       COALESCE(b.bytes, 0) AS backlog_bytes,
       a.quota_messages,
       a.quota_bytes
FROM ringtable.address AS a
LEFT JOIN ringtable.backlog_summary AS b ON b.shard_id = a.shard_id AND b.address_id = a.address_id;
GO

-- For people: who reads what.
CREATE VIEW ringtable.subscriptions AS
SELECT u.shard_id,
       u.subscription_id,
       a.name AS address,
       a.kind,
       u.client_id,
       u.name AS subscription,
       u.group_no,
       u.[bit],
       u.from_sequence,
       u.dispatched_to,
       u.selector,
       u.no_local,
       u.shared
FROM ringtable.subscription AS u
JOIN ringtable.address AS a ON a.shard_id = u.shard_id AND a.address_id = u.address_id;
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

-- The verbs of the store, one procedure call each, commit included: a broker that stands still between two statements holds
-- no lock, and the broker's login needs EXECUTE on the schema and nothing else. They throw 50015 (fenced), 50016 (a relation
-- that must hold does not) and 50017 (another capacity); with XACT_ABORT every other error rolls back as well.
--
-- Locks.       A verb that writes the ring takes the owner row (ringtable.shard) first, by an UPDATE with the epoch in its
--              predicate, and keeps it until commit; renewing and staging take the lease row instead and wait for no flush.
--              Only acquire takes both: the owner row, then the lease. So there is no cycle.
-- Readers.     Each statement of a read touches one of our tables and joins it to table variables: it never waits for one
--              row while it holds another, and can be in no deadlock, with or without READ_COMMITTED_SNAPSHOT.
-- Parameters.  What a flush writes arrives in table-valued parameters: rows with bodies and bitmaps, in their own types. Lists of
--              ids and names and changes of the catalogue arrive as JSON and are put into a table variable first: a person
--              can call such a procedure by hand, and needs no type. Text in them goes through unescaped.
-- @none.       A statement that reads a table-valued parameter and no table variable also looks into @none, which is always
--              empty: a compatible server keeps its plan otherwise, and with it the rows of the first call of the session
--              (Babelfish 4.3). Nothing is ever written to it, so that it costs no page and no log, only a look at nothing.
-- Escalation.  SQL Server exchanges a statement's locks for one on the table from 5,000 on, counted per statement and index.
--              No statement here takes as many: 2,000 claims are at most 2,000 keys and 2,000 pages; reclaim, discard and
--              lay work in portions of at most 2,048 rows, within one transaction where they must be one.
-- Plans.       Lists are table types or table variables with a primary key, at most 2,000 rows. LOOP JOIN keeps hash and merge joins out,
--              which would read the whole ring for a batch of any size; FORCE ORDER begins with the list. Where an UPDATE
--              names its table outside FROM, the range of its key stands in the predicate too, so that whichever side the
--              optimizer begins with, it reads the rows of the batch and no others.
-- Instants.    Arrive as milliseconds and are put together from days, seconds and milliseconds: each fits an INT, and is exact
--              also on a server that adds many milliseconds as a floating-point number. The last one of all, which stands for
--              everything after it, is named: the same server takes its last addition for an overflow.

CREATE TYPE ringtable.claim_list AS TABLE (
    sequence        BIGINT          NOT NULL PRIMARY KEY,
    address_id      BIGINT          NOT NULL,
    published_at    BIGINT          NOT NULL, -- milliseconds since 1970 UTC; the driver would send instants as text
    priority        TINYINT         NOT NULL,
    expires_at      BIGINT          NOT NULL, -- 0 = never
    deliver_at      BIGINT          NOT NULL, -- 0 = at once
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
    sequence        BIGINT NOT NULL,
    subscription_id BIGINT NOT NULL,
    count           INT    NOT NULL, -- 0 = the row goes
    not_before      BIGINT NOT NULL, -- milliseconds since 1970 UTC; 0 = at once
    PRIMARY KEY (sequence, subscription_id)
);

CREATE TYPE ringtable.dispatched_list AS TABLE (
    subscription_id BIGINT NOT NULL PRIMARY KEY,
    dispatched_to   BIGINT NOT NULL -- -1 = the bound of the shard applies
);
GO

-- unescaped: a text as it was before the characters that JSON would escape by a backslash (quotation mark, backslash, control
--              characters) and % itself were written as % and two hexadecimal digits. A compatible server leaves the
--              backslashes of JSON where they are (Babelfish 4.3).
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
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

-- acquire: takes the shard if it is free, if its lease has ended, or if the same node held it last; the epoch rises by one.
-- Locks:       owner row, then lease, exclusive until commit: waits for whatever an earlier owner has under way. While another
--              node's lease runs it is only read, so a stand-by that asks again and again gets in nobody's way.
-- Access path: shard_pk, lease_pk.
-- Changes:     one row of shard and one of lease, or nothing. Answers (epoch, NULL, NULL, NULL) or (NULL, holder, its epoch,
--              milliseconds left). Parameters and answer never change: brokers of different versions have to agree on them.
CREATE PROCEDURE ringtable.acquire
    @shard_id INT,
    @node_id NVARCHAR(100),
    @node NVARCHAR(400),
    @lease_ms BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @epoch BIGINT;
    DECLARE @holder NVARCHAR(400);
    DECLARE @holder_id NVARCHAR(100);
    DECLARE @held_epoch BIGINT;
    DECLARE @left_ms BIGINT;

    SELECT @holder = l.node, @holder_id = l.node_id, @held_epoch = l.epoch,
           @left_ms = l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME())
    FROM ringtable.lease AS l
    WHERE l.shard_id = @shard_id;
    IF @holder_id <> @node_id AND @left_ms > 0
    BEGIN
        SELECT CAST(NULL AS BIGINT) AS epoch, @holder AS holder, @held_epoch AS held_epoch, @left_ms AS left_ms;
        RETURN;
    END;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET acquired_at = SYSUTCDATETIME() WHERE shard_id = @shard_id;
    IF @@ROWCOUNT = 0
        INSERT INTO ringtable.shard (shard_id, epoch, acquired_at, capacity, gate, dispatch_bound, next_id, slot_bytes)
        VALUES (@shard_id, 0, SYSUTCDATETIME(), NULL, 0, -1, 0, NULL);
    -- Keeps the owner from renewing while its lease is looked at again: somebody may have been quicker.
    UPDATE ringtable.lease SET lease_ms = lease.lease_ms WHERE shard_id = @shard_id;
    SET @holder_id = NULL;
    SELECT @holder = l.node, @holder_id = l.node_id, @held_epoch = l.epoch,
           @left_ms = l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME())
    FROM ringtable.lease AS l
    WHERE l.shard_id = @shard_id;
    IF @holder_id <> @node_id AND @left_ms > 0
    BEGIN
        ROLLBACK TRANSACTION;
        SELECT CAST(NULL AS BIGINT) AS epoch, @holder AS holder, @held_epoch AS held_epoch, @left_ms AS left_ms;
        RETURN;
    END;

    UPDATE ringtable.shard SET epoch = shard.epoch + 1 WHERE shard_id = @shard_id;
    SELECT @epoch = h.epoch FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    UPDATE ringtable.lease
    SET epoch = @epoch, node_id = @node_id, node = @node, renewed_at = SYSUTCDATETIME(), lease_ms = @lease_ms
    WHERE shard_id = @shard_id;
    IF @@ROWCOUNT = 0
        INSERT INTO ringtable.lease (shard_id, epoch, node_id, node, renewed_at, lease_ms)
        VALUES (@shard_id, @epoch, @node_id, @node, SYSUTCDATETIME(), @lease_ms);
    COMMIT TRANSACTION;
    SELECT @epoch AS epoch, CAST(NULL AS NVARCHAR(400)) AS holder, CAST(NULL AS BIGINT) AS held_epoch,
           CAST(NULL AS BIGINT) AS left_ms;
END;
GO

-- renew: begins the lease anew.
-- Locks:       the lease, exclusive, for one statement; waits for no flush.
-- Access path: lease_pk.
-- Changes:     exactly one row; else another owner has the shard.
CREATE PROCEDURE ringtable.renew
    @shard_id INT,
    @epoch BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    UPDATE ringtable.lease SET renewed_at = SYSUTCDATETIME() WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
END;
GO

-- resign: ends the lease at once.
-- Locks:       the lease, exclusive, for one statement.
-- Access path: lease_pk.
-- Changes:     exactly one row; else another owner has the shard.
CREATE PROCEDURE ringtable.resign
    @shard_id INT,
    @epoch BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    UPDATE ringtable.lease SET lease_ms = 0 WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
END;
GO

-- lay_ring: lays the next 2,048 slots of a new ring; called again until it answers 0. Slot s is laid with sequence
--              s - capacity, which the first lap supersedes, and as long as it will ever be: @slot_bytes for the body and 14
--              for the tag that row versioning adds at a row's first change, so that no lap splits a page.
-- Locks:       the owner row, exclusive until commit; 2,048 keys and at most as many pages.
-- Access path: shard_pk, slot_pk.
-- Changes:     2,048 slots, and the capacity of the shard with the last of them. Half a ring of another capacity, left by a
--              start that was broken off, is removed first. Answers how many slots are still to be laid or removed.
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
    DECLARE @held_capacity INT;
    DECLARE @laid INT;
    DECLARE @seed BIGINT;
    DECLARE @changed INT;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET slot_bytes = COALESCE(shard.slot_bytes, @slot_bytes)
    WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    SELECT @held_capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    IF @held_capacity <> @capacity
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('ring.capacity=', @capacity, ' is not the capacity ', @held_capacity, ' that the ring of shard ',
            @shard_id, ' was laid with: set ring.capacity=', @held_capacity);
        THROW 50017, @message, 1;
    END;
    IF @held_capacity = @capacity
    BEGIN
        COMMIT TRANSACTION;
        SELECT 0 AS still_to_do;
        RETURN;
    END;

    SELECT @laid = COALESCE(MAX(s.slot) + 1, 0) FROM ringtable.slot AS s WHERE s.shard_id = @shard_id;
    SELECT @seed = s.sequence - s.slot FROM ringtable.slot AS s WHERE s.shard_id = @shard_id AND s.slot = @laid - 1;
    IF @seed <> 0 - @capacity
    BEGIN
        DELETE FROM ringtable.slot WHERE shard_id = @shard_id AND slot >= @laid - 2048;
        COMMIT TRANSACTION;
        SELECT @capacity AS still_to_do;
        RETURN;
    END;
    WITH digit (n) AS (
        SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15)) AS d (n)),
    number (n) AS (
        SELECT a.n + 16 * b.n + 256 * c.n FROM digit AS a CROSS JOIN digit AS b CROSS JOIN digit AS c)
    INSERT INTO ringtable.slot (shard_id, slot, sequence, address_id, published_at, priority, expires_at, deliver_at,
                                group_no, reference_count, pending, body_id, body_bytes, body)
    SELECT @shard_id, @laid + n, CAST(@laid AS BIGINT) + n - @capacity, 0, SYSUTCDATETIME(), 0, NULL, NULL, 0, 0, 0, NULL, 0,
           CAST(REPLICATE(CAST('0' AS VARCHAR(8000)), @slot_bytes + 14) AS VARBINARY(8000))
    FROM number
    WHERE n < 2048
    ORDER BY n;
    SET @changed = @@ROWCOUNT;
    IF @changed <> 2048
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('slot: ', @changed, ' rows laid where 2048 must');
        THROW 50016, @message, 1;
    END;
    IF @laid + 2048 >= @capacity
        UPDATE ringtable.shard SET capacity = @capacity WHERE shard_id = @shard_id;
    COMMIT TRANSACTION;
    SELECT @capacity - @laid - 2048 AS still_to_do;
END;
GO

-- flush: one batch; claims, settlements, failed deliveries and bounds become durable together, in one call, commit included.
-- Locks:       READ COMMITTED, with or without row versioning; the owner row first, exclusive until commit; then one key and
--              at most one page per claim and per block and bit: 2 x 2,000 < 5,000, nothing is escalated.
-- Access path: slot_pk, settlement_pk and backlog_settlement_pk, one seek per row of the batch.
-- Changes:     exactly one row per claim, each the one that it supersedes, and per block and bit; else nothing. @rows_sent is
--              how many rows the caller put into all lists together: a list that arrived short is refused.
CREATE PROCEDURE ringtable.flush
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @dispatch_bound BIGINT, -- -1 = unchanged
    @rows_sent INT,
    @claims ringtable.claim_list READONLY,
    @settlements ringtable.settlement_list READONLY,
    @backlog_settlements ringtable.backlog_settlement_list READONLY,
    @redeliveries ringtable.redelivery_list READONLY,
    @dispatched ringtable.dispatched_list READONLY
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @none TABLE (id INT NOT NULL); -- stays empty, see the head of this file
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_epoch BIGINT;
    DECLARE @held_gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @first BIGINT;
    DECLARE @last BIGINT;
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
        -- Below the gate nothing is owed, so what a claim supersedes must lie there; and claims leave no hole.
        IF @last - @capacity >= @gate OR @last - @first + 1 <> @claims_sent
           OR NOT EXISTS (SELECT 1
                          FROM ringtable.slot AS s
                          WHERE s.shard_id = @shard_id
                            AND s.slot = CAST((@first - 1 + @capacity) % @capacity AS INT)
                            AND s.sequence = @first - 1)
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT(@claims_sent, ' claims from sequence ', @first, ' to ', @last,
                ' do not follow the highest sequence in the ring, or do not lie below gate + capacity ', @gate + @capacity);
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
                expires_at = CASE WHEN c.expires_at = 253402300799999 THEN CAST('9999-12-31 23:59:59.999' AS DATETIME2(3))
                    WHEN c.expires_at <> 0
                    THEN DATEADD(MILLISECOND, CAST(c.expires_at % 1000 AS INT),
                        DATEADD(SECOND, CAST(c.expires_at / 1000 % 86400 AS INT),
                            DATEADD(DAY, CAST(c.expires_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3))))) END,
                deliver_at = CASE WHEN c.deliver_at = 253402300799999 THEN CAST('9999-12-31 23:59:59.999' AS DATETIME2(3))
                    WHEN c.deliver_at <> 0
                    THEN DATEADD(MILLISECOND, CAST(c.deliver_at % 1000 AS INT),
                        DATEADD(SECOND, CAST(c.deliver_at / 1000 % 86400 AS INT),
                            DATEADD(DAY, CAST(c.deliver_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3))))) END,
                group_no = c.group_no,
                reference_count = c.reference_count,
                pending = c.pending,
                body_id = c.body_id,
                body_bytes = c.body_bytes,
                body = c.body
            FROM @claims AS c
            WHERE NOT EXISTS (SELECT 1 FROM @none)
              AND slot.shard_id = @shard_id
              AND slot.slot >= @from_slot
              AND slot.slot <= @to_slot
              AND c.sequence >= @from_sequence
              AND c.sequence <= @to_sequence
              AND slot.slot = CAST(c.sequence % @capacity AS INT)
              AND slot.sequence = c.sequence - @capacity
            OPTION (LOOP JOIN);
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
        SELECT @first = MIN(s.block), @last = MAX(s.block) FROM @settlements AS s WHERE NOT EXISTS (SELECT 1 FROM @none);
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
        SELECT @first = MIN(s.address_id), @last = MAX(s.address_id) FROM @backlog_settlements AS s WHERE NOT EXISTS (SELECT 1 FROM @none);
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
            SET @message = CONCAT('backlog_settlement: ', @changed, ' rows changed where ', @backlog_settlements_sent, ' must');
            THROW 50016, @message, 1;
        END;
    END;

    IF @redeliveries_sent > 0
    BEGIN
        DELETE FROM ringtable.redelivery
        WHERE shard_id = @shard_id
          AND EXISTS (SELECT 1
                      FROM @redeliveries AS f
                      WHERE NOT EXISTS (SELECT 1 FROM @none)
                        AND f.sequence = redelivery.sequence AND f.subscription_id = redelivery.subscription_id
                        AND f.count = 0);
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

-- alter: makes changes of the catalogue, in order, together.
-- Locks:       the owner row first, exclusive until commit; then the rows that are changed.
-- Access path: address_pk, subscription_pk, subscription_bit_is_held_once; redelivery_pk, the shard's range; producer_pk,
--              duplicate_id_pk.
-- Changes:     what each change names; one that is not there rolls back all of them.
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
                                                -- create producer, reopen producer, forget producer
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
        used_at         BIGINT        NULL  -- milliseconds since 1970 UTC
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
        ordinal, change, address_id, subscription_id, name, kind, quota_messages, quota_bytes, client_id, group_no, [bit],
        from_sequence, dispatched_to, selector, no_local, shared, producer_id, incarnation, last_number, used_at)
    SELECT
        c.ordinal, c.change, c.address_id, c.subscription_id, ringtable.unescaped(c.name), c.kind, c.quota_messages, c.quota_bytes,
        ringtable.unescaped(c.client_id), c.group_no, c.[bit], c.from_sequence, c.dispatched_to, ringtable.unescaped(c.selector),
        c.no_local, c.shared, c.producer_id, c.incarnation, c.last_number, c.used_at
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
        used_at         BIGINT
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
            SELECT @shard_id, c.subscription_id, c.address_id, c.client_id, c.name, c.group_no, c.[bit], c.from_sequence,
                   c.dispatched_to, c.selector, c.no_local, c.shared
            FROM @list AS c
            WHERE c.ordinal = @ordinal
              AND EXISTS (SELECT 1 FROM ringtable.address AS a WHERE a.shard_id = @shard_id AND a.address_id = c.address_id);
            SET @changed = @@ROWCOUNT;
            SET @given_id = @subscription_id;
        END
        ELSE IF @change = 'unsubscribe'
        BEGIN
            DELETE FROM ringtable.subscription WHERE shard_id = @shard_id AND subscription_id = @subscription_id;
            SET @changed = @@ROWCOUNT;
            DELETE FROM ringtable.redelivery WHERE shard_id = @shard_id AND subscription_id = @subscription_id;
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
            INSERT INTO ringtable.producer (shard_id, producer_id, address_id, name, incarnation, last_number, used_at)
            SELECT @shard_id, c.producer_id, c.address_id, c.name, c.incarnation, c.last_number,
                   DATEADD(MILLISECOND, CAST(c.used_at % 1000 AS INT),
                       DATEADD(SECOND, CAST(c.used_at / 1000 % 86400 AS INT),
                           DATEADD(DAY, CAST(c.used_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3)))))
            FROM @list AS c
            WHERE c.ordinal = @ordinal
              AND EXISTS (SELECT 1 FROM ringtable.address AS a WHERE a.shard_id = @shard_id AND a.address_id = c.address_id);
            SET @changed = @@ROWCOUNT;
            SET @given_id = @producer_id;
        END
        ELSE IF @change = 'reopen producer'
        BEGIN
            UPDATE ringtable.producer
            SET incarnation = c.incarnation,
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
        END;
        IF @changed <> 1
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT(@change, ' (address ', @address_id, ', subscription ', @subscription_id, ', producer ', @producer_id,
                '): ', @changed, ' rows changed where 1 must');
            THROW 50016, @message, 1;
        END;
        IF @given_id IS NOT NULL
            UPDATE ringtable.shard SET next_id = @given_id + 1 WHERE shard_id = @shard_id AND next_id <= @given_id;
        SET @ordinal = @ordinal + 1;
    END;
    COMMIT TRANSACTION;
END;
GO

-- reclaim: copies into the backlog what live subscriptions still owe in [@gate, @new_gate), raises the gate, drops the ledger
--              of the passed blocks; all of it or nothing.
-- Locks:       the owner row first, exclusive until commit. Worked off in portions of one block of 1,024 sequences, so that no
--              statement comes near the 5,000 locks at which they are escalated: 1,024 keys and at most 1,024 pages of backlog,
--              as many of each of its three indexes, at most 1,024 summaries, 63 ledger rows.
-- Access path: slot_pk, the range of the block; subscription_bit_is_held_once; settlement_pk; then one insert per owed message.
-- Changes:     one row of backlog per message that is owed; as many as @owed_expected, else nothing. Answers the summaries of
--              the addresses whose backlog grew.
CREATE PROCEDURE ringtable.reclaim
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @new_gate BIGINT,
    @owed_expected BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_epoch BIGINT;
    DECLARE @held_gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @first BIGINT;
    DECLARE @block BIGINT;
    DECLARE @from_slot INT;
    DECLARE @to_slot INT;
    DECLARE @rows INT;
    DECLARE @references INT;
    DECLARE @full INT;
    DECLARE @owed_here INT;
    DECLARE @changed INT;
    DECLARE @moved BIGINT;
    DECLARE @all_settled BINARY(128);
    DECLARE @owed TABLE (
        slot            INT     NOT NULL PRIMARY KEY,
        reference_count TINYINT NOT NULL,
        pending         BIGINT  NOT NULL
    );
    DECLARE @gained TABLE (
        address_id       BIGINT       NOT NULL PRIMARY KEY,
        first_sequence   BIGINT       NOT NULL,
        last_sequence    BIGINT       NOT NULL,
        messages         BIGINT       NOT NULL,
        bytes            BIGINT       NOT NULL,
        first_expires_at DATETIME2(3) NULL,
        first_deliver_at DATETIME2(3) NULL
    );
    DECLARE @grown TABLE (address_id BIGINT NOT NULL PRIMARY KEY);

    -- Before the UPDATE, whose constraint would refuse it as if a row were at fault.
    IF @new_gate <= @gate OR @new_gate % 1024 <> 0
    BEGIN
        SET @message = CONCAT('gate of shard ', @shard_id, ' cannot be raised from ', @gate, ' to ', @new_gate, ': whole blocks');
        THROW 50016, @message, 1;
    END;
    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET gate = @new_gate WHERE shard_id = @shard_id AND epoch = @epoch AND gate = @gate;
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
    SELECT @capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    IF @new_gate > @gate + @capacity / 8
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('gate of shard ', @shard_id, ' cannot be raised from ', @gate, ' to ', @new_gate,
            ': at most ', @capacity / 8, ' sequences');
        THROW 50016, @message, 1;
    END;

    SET @all_settled = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
        + 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
        + 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
        + 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF;
    SET @moved = 0;
    SET @first = @gate;
    WHILE @first < @new_gate
    BEGIN
        SET @block = @first / 1024;
        SET @from_slot = CAST(@first % @capacity AS INT);
        SET @to_slot = @from_slot + 1023;
        SELECT @rows = COUNT(*), @references = COALESCE(MAX(s.reference_count), 0)
        FROM ringtable.slot AS s
        WHERE s.shard_id = @shard_id AND s.slot >= @from_slot AND s.slot <= @to_slot
          AND s.sequence = @first + s.slot - @from_slot;
        IF @rows <> 1024
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('slots ', @from_slot, ' to ', @to_slot, ' hold ', @rows, ' of the sequences ', @first, ' to ',
                @first + 1023);
            THROW 50016, @message, 1;
        END;
        -- Who settled each of 1,024 sequences owed each of them. Where as many did as any message has references, nobody is
        -- left who owes, which is the rule with queues; else message by message.
        SELECT @full = COUNT(*)
        FROM ringtable.settlement AS l
        WHERE l.shard_id = @shard_id AND l.block = @block AND l.settled = @all_settled;
        IF @full < @references
        BEGIN
            DELETE FROM @owed;
            INSERT INTO @owed (slot, reference_count, pending)
            SELECT m.slot, COUNT(*), SUM(POWER(CAST(2 AS BIGINT), u.[bit]))
            FROM ringtable.slot AS m
            JOIN ringtable.subscription AS u
                ON u.shard_id = m.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
                   AND u.from_sequence <= m.sequence AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
            LEFT JOIN ringtable.settlement AS l
                ON l.shard_id = m.shard_id AND l.block = @block AND l.[bit] = u.[bit]
            WHERE m.shard_id = @shard_id
              AND m.slot >= @from_slot
              AND m.slot <= @to_slot
              -- the byte of this sequence in the bitmap, and of that the bit
              AND (l.settled IS NULL
                   OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                      & POWER(2, CAST(m.sequence % 8 AS INT)) = 0)
            GROUP BY m.slot
            OPTION (LOOP JOIN, FORCE ORDER);
            SET @owed_here = @@ROWCOUNT;
            IF @owed_here > 0
            BEGIN
                INSERT INTO ringtable.backlog (shard_id, address_id, sequence, published_at, priority, expires_at, deliver_at,
                                               group_no, reference_count, pending, body_id, body_bytes, body)
                SELECT @shard_id, m.address_id, m.sequence, m.published_at, m.priority, m.expires_at, m.deliver_at, m.group_no,
                       o.reference_count, o.pending, m.body_id, m.body_bytes, m.body
                FROM @owed AS o
                JOIN ringtable.slot AS m ON m.shard_id = @shard_id AND m.slot = o.slot
                OPTION (LOOP JOIN, FORCE ORDER);
                SET @changed = @@ROWCOUNT;
                IF @changed <> @owed_here
                BEGIN
                    ROLLBACK TRANSACTION;
                    SET @message = CONCAT('backlog: ', @changed, ' rows moved where ', @owed_here, ' must');
                    THROW 50016, @message, 1;
                END;
                DELETE FROM @gained;
                INSERT INTO @gained (address_id, first_sequence, last_sequence, messages, bytes, first_expires_at,
                                     first_deliver_at)
                SELECT m.address_id, MIN(m.sequence), MAX(m.sequence), COUNT(*), SUM(CAST(m.body_bytes AS BIGINT)),
                       MIN(m.expires_at), MIN(m.deliver_at)
                FROM @owed AS o
                JOIN ringtable.slot AS m ON m.shard_id = @shard_id AND m.slot = o.slot
                GROUP BY m.address_id
                OPTION (LOOP JOIN, FORCE ORDER);
                UPDATE ringtable.backlog_summary
                SET last_sequence = g.last_sequence,
                    messages = backlog_summary.messages + g.messages,
                    bytes = backlog_summary.bytes + g.bytes,
                    first_expires_at = CASE
                        WHEN backlog_summary.first_expires_at <= g.first_expires_at OR g.first_expires_at IS NULL
                            THEN backlog_summary.first_expires_at
                        ELSE g.first_expires_at END,
                    first_deliver_at = CASE
                        WHEN backlog_summary.first_deliver_at <= g.first_deliver_at OR g.first_deliver_at IS NULL
                            THEN backlog_summary.first_deliver_at
                        ELSE g.first_deliver_at END
                FROM @gained AS g
                WHERE backlog_summary.shard_id = @shard_id AND backlog_summary.address_id = g.address_id
                OPTION (LOOP JOIN);
                INSERT INTO ringtable.backlog_summary (shard_id, address_id, first_sequence, last_sequence, messages, bytes,
                                                       first_expires_at, first_deliver_at)
                SELECT @shard_id, g.address_id, g.first_sequence, g.last_sequence, g.messages, g.bytes, g.first_expires_at,
                       g.first_deliver_at
                FROM @gained AS g
                WHERE NOT EXISTS (SELECT 1
                                  FROM ringtable.backlog_summary AS b
                                  WHERE b.shard_id = @shard_id AND b.address_id = g.address_id)
                OPTION (LOOP JOIN);
                INSERT INTO @grown (address_id)
                SELECT g.address_id
                FROM @gained AS g
                WHERE NOT EXISTS (SELECT 1 FROM @grown AS b WHERE b.address_id = g.address_id);
                SET @moved = @moved + @owed_here;
            END;
        END;
        DELETE FROM ringtable.settlement WHERE shard_id = @shard_id AND block <= @block;
        SET @first = @first + 1024;
    END;
    IF @moved <> @owed_expected
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('the tables say that ', @moved, ' messages from ', @gate, ' to ', @new_gate - 1,
            ' are still owed, the caller that ', @owed_expected, ' are');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;

    SELECT b.address_id, b.first_sequence, b.last_sequence, b.messages, b.bytes,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_expires_at), 0) AS first_expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_deliver_at), 0) AS first_deliver_at
    FROM @grown AS g
    JOIN ringtable.backlog_summary AS b ON b.shard_id = @shard_id AND b.address_id = g.address_id
    ORDER BY b.address_id
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO

-- discard: deletes backlog rows of an address with @from_sequence <= sequence < @to_sequence that nobody owes any more, and
--              the ledger of blocks that have no row left.
-- Locks:       the owner row first, exclusive until commit; deletes at most 1,000 rows, or the ledger of one block, by one
--              statement: 1,000 keys and 1,000 pages of each index, below the 5,000 at which locks are escalated.
-- Access path: backlog_pk and backlog_settlement_pk, ranges; subscription_bit_is_held_once; backlog_expiring, backlog_delayed.
-- Changes:     the rows that are over, and the summary. Answers the summary, or no row if nothing is left.
CREATE PROCEDURE ringtable.discard
    @shard_id INT,
    @epoch BIGINT,
    @address_id BIGINT,
    @from_sequence BIGINT,
    @to_sequence BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @over_count BIGINT;
    DECLARE @over_bytes BIGINT;
    DECLARE @deleted BIGINT;
    DECLARE @after BIGINT;
    DECLARE @last BIGINT;
    DECLARE @block BIGINT;
    DECLARE @left BIGINT;
    DECLARE @first_sequence BIGINT;
    DECLARE @last_sequence BIGINT;
    DECLARE @first_expires_at DATETIME2(3);
    DECLARE @first_deliver_at DATETIME2(3);
    DECLARE @over TABLE (
        sequence   BIGINT NOT NULL PRIMARY KEY,
        body_bytes INT    NOT NULL
    );

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET gate = shard.gate WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;

    -- With the owner row held nobody else writes: what is over now stays so.
    INSERT INTO @over (sequence, body_bytes)
    SELECT m.sequence, m.body_bytes
    FROM ringtable.backlog AS m
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence >= @from_sequence
      AND m.sequence < @to_sequence
      AND NOT EXISTS (SELECT 1
                      FROM ringtable.subscription AS u
                      LEFT JOIN ringtable.backlog_settlement AS l
                          ON l.shard_id = @shard_id AND l.address_id = @address_id AND l.block = m.sequence / 1024
                             AND l.[bit] = u.[bit]
                      WHERE u.shard_id = @shard_id
                        AND u.address_id = @address_id
                        AND u.group_no = m.group_no
                        AND u.from_sequence <= m.sequence
                        AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
                        AND (l.settled IS NULL
                             OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                                & POWER(2, CAST(m.sequence % 8 AS INT)) = 0))
    OPTION (LOOP JOIN, FORCE ORDER);
    SELECT @over_count = COUNT(*), @over_bytes = COALESCE(SUM(CAST(o.body_bytes AS BIGINT)), 0) FROM @over AS o;

    IF @over_count > 0
    BEGIN
        SET @deleted = 0;
        SET @after = @from_sequence - 1;
        SELECT @last = MAX(o.sequence) FROM @over AS o;
        WHILE @after < @last
        BEGIN
            SELECT @block = MAX(p.sequence)
            FROM (SELECT TOP (1000) o.sequence FROM @over AS o WHERE o.sequence > @after ORDER BY o.sequence) AS p;
            DELETE FROM ringtable.backlog
            WHERE shard_id = @shard_id
              AND address_id = @address_id
              AND sequence > @after
              AND sequence <= @block
              AND EXISTS (SELECT 1 FROM @over AS o WHERE o.sequence = backlog.sequence)
            OPTION (LOOP JOIN);
            SET @deleted = @deleted + @@ROWCOUNT;
            SET @after = @block;
        END;
        IF @deleted <> @over_count
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('backlog: ', @deleted, ' rows deleted where ', @over_count, ' must');
            THROW 50016, @message, 1;
        END;

        -- The ledger of a block goes with the last row of the block, never before.
        SELECT @block = MIN(l.block)
        FROM ringtable.backlog_settlement AS l
        WHERE l.shard_id = @shard_id AND l.address_id = @address_id AND l.block >= @from_sequence / 1024;
        WHILE @block <= @last / 1024
        BEGIN
            IF NOT EXISTS (SELECT 1
                           FROM ringtable.backlog AS m
                           WHERE m.shard_id = @shard_id AND m.address_id = @address_id
                             AND m.sequence >= @block * 1024 AND m.sequence < @block * 1024 + 1024)
                DELETE FROM ringtable.backlog_settlement
                WHERE shard_id = @shard_id AND address_id = @address_id AND block = @block;
            SET @after = @block;
            SELECT @block = MIN(l.block)
            FROM ringtable.backlog_settlement AS l
            WHERE l.shard_id = @shard_id AND l.address_id = @address_id AND l.block > @after;
        END;

        SELECT @left = b.messages - @over_count
        FROM ringtable.backlog_summary AS b
        WHERE b.shard_id = @shard_id AND b.address_id = @address_id AND b.bytes >= @over_bytes;
        IF @left IS NULL OR @left < 0
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT(@over_count, ' messages and ', @over_bytes, ' bytes in the backlog of address ', @address_id,
                ' are over, its summary has fewer');
            THROW 50016, @message, 1;
        END;
        IF @left = 0
            DELETE FROM ringtable.backlog_summary WHERE shard_id = @shard_id AND address_id = @address_id;
        ELSE
        BEGIN
            SELECT @first_sequence = MIN(m.sequence)
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id;
            SELECT @last_sequence = MAX(m.sequence)
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id;
            SELECT @first_expires_at = MIN(m.expires_at)
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id AND m.expires_at IS NOT NULL;
            SELECT @first_deliver_at = MIN(m.deliver_at)
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id AND m.deliver_at IS NOT NULL;
            UPDATE ringtable.backlog_summary
            SET messages = @left,
                bytes = backlog_summary.bytes - @over_bytes,
                first_sequence = @first_sequence,
                last_sequence = @last_sequence,
                first_expires_at = @first_expires_at,
                first_deliver_at = @first_deliver_at
            WHERE shard_id = @shard_id AND address_id = @address_id;
        END;
    END;
    COMMIT TRANSACTION;

    SELECT b.address_id, b.first_sequence, b.last_sequence, b.messages, b.bytes,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_expires_at), 0) AS first_expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_deliver_at), 0) AS first_deliver_at
    FROM ringtable.backlog_summary AS b
    WHERE b.shard_id = @shard_id AND b.address_id = @address_id;
END;
GO

-- stage: stores one chunk, at most 1 MiB, of a large body before the flush that claims its message.
-- Locks:       the lease, exclusive until commit: a new owner waits, a flush does not, a renewal for as long as 1 MiB takes.
-- Access path: lease_pk, overflow_pk.
-- Changes:     exactly one row of overflow.
CREATE PROCEDURE ringtable.stage
    @shard_id INT,
    @epoch BIGINT,
    @body_id BIGINT,
    @chunk INT,
    @chunks INT,
    @data VARBINARY(MAX)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    BEGIN TRANSACTION;
    UPDATE ringtable.lease SET epoch = lease.epoch WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    INSERT INTO ringtable.overflow (shard_id, body_id, chunk, chunks, data)
    VALUES (@shard_id, @body_id, @chunk, @chunks, @data);
    COMMIT TRANSACTION;
END;
GO

-- unstage: deletes bodies that nobody owes any more.
-- Locks:       the lease, exclusive, and at most 31 chunks at a time, each time until a commit: no renewal waits for long, and
--              no locks are escalated.
-- Access path: lease_pk; overflow_pk, one range per body.
-- Changes:     every chunk of the bodies; those that are not there are passed over.
CREATE PROCEDURE ringtable.unstage
    @shard_id INT,
    @epoch BIGINT,
    @body_ids NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @bodies TABLE (body_id BIGINT NOT NULL PRIMARY KEY);
    DECLARE @message NVARCHAR(2048);
    DECLARE @body_id BIGINT;
    DECLARE @before BIGINT;
    DECLARE @rows INT;
    DECLARE @deleted INT;
    INSERT INTO @bodies (body_id) SELECT j.id FROM OPENJSON(@body_ids) WITH (id BIGINT '$') AS j;
    SELECT @body_id = MIN(b.body_id) FROM @bodies AS b;
    WHILE @body_id IS NOT NULL
    BEGIN
        BEGIN TRANSACTION;
        UPDATE ringtable.lease SET epoch = lease.epoch WHERE shard_id = @shard_id AND epoch = @epoch;
        IF @@ROWCOUNT <> 1
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
            THROW 50015, @message, 1;
        END;
        SET @deleted = 0;
        WHILE @body_id IS NOT NULL AND @deleted < 16
        BEGIN
            DELETE TOP (16) FROM ringtable.overflow WHERE shard_id = @shard_id AND body_id = @body_id;
            SET @rows = @@ROWCOUNT;
            SET @deleted = @deleted + @rows;
            IF @rows < 16
            BEGIN
                SET @before = @body_id;
                SELECT @body_id = MIN(b.body_id) FROM @bodies AS b WHERE b.body_id > @before;
            END;
        END;
        COMMIT TRANSACTION;
    END;
END;
GO

-- recover_shard: the owner row, if the caller is the owner. Asked before and after everything else is read: as long as the
--              epoch is the same nobody else has written, so that no lock has to be held while a whole ring is read.
-- Locks:       none that outlasts a row.
-- Access path: shard_pk.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_shard
    @shard_id INT,
    @epoch BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_epoch BIGINT;
    SELECT @held_epoch = h.epoch FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    IF @held_epoch IS NULL OR @held_epoch <> @epoch
    BEGIN
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch ', @held_epoch, ' of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    SELECT h.epoch, h.capacity, h.gate, h.dispatch_bound, h.next_id
    FROM ringtable.shard AS h
    WHERE h.shard_id = @shard_id AND h.epoch = @epoch;
END;
GO

-- recover_ring: slots with @from_slot <= slot < @to_slot, in order, without their bodies.
-- Locks:       none that outlasts a row.
-- Access path: slot_pk, a range; overflow_pk where a body lies there.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_ring
    @shard_id INT,
    @from_slot INT,
    @to_slot INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes,
           m.reference_count,
           CASE
               WHEN m.body_id IS NULL THEN 1
               WHEN EXISTS (SELECT 1
                            FROM ringtable.overflow AS o
                            WHERE o.shard_id = m.shard_id AND o.body_id = m.body_id
                            HAVING COUNT(*) = MAX(o.chunks) AND SUM(DATALENGTH(o.data)) = m.body_bytes) THEN 1
               ELSE 0
           END AS body_complete,
           m.slot
    FROM ringtable.slot AS m
    WHERE m.shard_id = @shard_id AND m.slot >= @from_slot AND m.slot < @to_slot
    ORDER BY m.slot;
END;
GO

-- recover_highest: the highest sequence in the ring, and how many slots it has.
-- Locks:       none that outlasts a row.
-- Access path: slot_pk, the whole ring, once.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_highest
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT MAX(m.sequence) AS highest, COUNT(*) AS slots FROM ringtable.slot AS m WHERE m.shard_id = @shard_id;
END;
GO

-- recover_addresses: every address.
-- Locks:       none that outlasts a row.
-- Access path: address_pk.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_addresses
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT a.address_id, a.name, a.kind, a.quota_messages, a.quota_bytes
    FROM ringtable.address AS a
    WHERE a.shard_id = @shard_id
    ORDER BY a.address_id;
END;
GO

-- recover_subscriptions: every subscription.
-- Locks:       none that outlasts a row.
-- Access path: subscription_bit_is_held_once, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_subscriptions
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT u.subscription_id, u.address_id, u.client_id, u.name, u.group_no, u.[bit], u.from_sequence,
           COALESCE(u.dispatched_to, -1) AS dispatched_to, u.selector, u.no_local, u.shared
    FROM ringtable.subscription AS u
    WHERE u.shard_id = @shard_id
    ORDER BY u.subscription_id;
END;
GO

-- recover_settlements: the ledger of the ring.
-- Locks:       none that outlasts a row.
-- Access path: settlement_pk, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_settlements
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT l.block, l.[bit], l.settled
    FROM ringtable.settlement AS l
    WHERE l.shard_id = @shard_id
    ORDER BY l.block, l.[bit];
END;
GO

-- recover_redeliveries: every failed delivery.
-- Locks:       none that outlasts a row.
-- Access path: redelivery_pk, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_redeliveries
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT r.sequence, r.subscription_id, r.count,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), r.not_before), 0) AS not_before
    FROM ringtable.redelivery AS r
    WHERE r.shard_id = @shard_id
    ORDER BY r.sequence, r.subscription_id;
END;
GO

-- recover_producers: every producer.
-- Locks:       none that outlasts a row.
-- Access path: producer_pk, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_producers
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT p.producer_id, p.address_id, p.name, p.incarnation, p.last_number,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), p.used_at) AS used_at
    FROM ringtable.producer AS p
    WHERE p.shard_id = @shard_id
    ORDER BY p.producer_id;
END;
GO

-- recover_duplicate_ids: every id that is kept.
-- Locks:       none that outlasts a row.
-- Access path: duplicate_id_pk, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_duplicate_ids
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT d.address_id, d.position, d.ordinal, d.id
    FROM ringtable.duplicate_id AS d
    WHERE d.shard_id = @shard_id
    ORDER BY d.address_id, d.position;
END;
GO

-- recover_backlog: what each address has in the backlog.
-- Locks:       none that outlasts a row.
-- Access path: backlog_summary_pk, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_backlog
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT b.address_id, b.first_sequence, b.last_sequence, b.messages, b.bytes,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_expires_at), 0) AS first_expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_deliver_at), 0) AS first_deliver_at
    FROM ringtable.backlog_summary AS b
    WHERE b.shard_id = @shard_id
    ORDER BY b.address_id;
END;
GO

-- read_ring: messages of the ring by sequence, in order; pending holds what the ledger says is still owed. Those that the gate
--              has passed are left out.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: settlement_pk, shard_pk, slot_pk: one seek per sequence.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.read_ring
    @shard_id INT,
    @sequences NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @wanted TABLE (sequence BIGINT NOT NULL PRIMARY KEY);
    DECLARE @blocks TABLE (block BIGINT NOT NULL PRIMARY KEY);
    DECLARE @ledger TABLE (
        block   BIGINT      NOT NULL,
        [bit]   SMALLINT    NOT NULL,
        settled BINARY(128) NOT NULL,
        PRIMARY KEY (block, [bit])
    );
    INSERT INTO @wanted (sequence) SELECT j.sequence FROM OPENJSON(@sequences) WITH (sequence BIGINT '$') AS j;
    INSERT INTO @blocks (block) SELECT DISTINCT q.sequence / 1024 FROM @wanted AS q;
    -- The ledger before the gate: a block whose rows reclaim has deleted meanwhile lies below the gate that is read after.
    -- The ledger before the slots: a message shows what was owed of it at one moment or a later one, never less.
    INSERT INTO @ledger (block, [bit], settled)
    SELECT l.block, l.[bit], l.settled
    FROM @blocks AS b
    JOIN ringtable.settlement AS l ON l.shard_id = @shard_id AND l.block = b.block
    OPTION (LOOP JOIN, FORCE ORDER);
    SELECT @gate = h.gate, @capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    SELECT m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending - COALESCE((SELECT SUM(POWER(CAST(2 AS BIGINT), l.[bit]))
                                 FROM @ledger AS l
                                 WHERE l.block = m.sequence / 1024
                                   AND m.pending & POWER(CAST(2 AS BIGINT), l.[bit]) <> 0
                                   AND CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                                       & POWER(2, CAST(m.sequence % 8 AS INT)) <> 0), 0) AS pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes,
           m.body
    FROM @wanted AS q
    JOIN ringtable.slot AS m
        ON m.shard_id = @shard_id AND m.slot = CAST(q.sequence % @capacity AS INT) AND m.sequence = q.sequence
    WHERE q.sequence >= @gate
    ORDER BY m.sequence
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO

-- read_backlog: messages of an address in the backlog that the bit still owes, in order, from the next @rows_max rows above
--              @after. Answers first the sequence up to which it has looked (NULL: there are no more rows), then the messages.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: backlog_pk, a range; backlog_settlement_pk, a range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.read_backlog
    @shard_id INT,
    @address_id BIGINT,
    @group_no INT,
    @bit INT,
    @after BIGINT,
    @rows_max INT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @first BIGINT;
    DECLARE @last BIGINT;
    DECLARE @ledger TABLE (
        block   BIGINT      NOT NULL,
        [bit]   SMALLINT    NOT NULL,
        settled BINARY(128) NOT NULL,
        PRIMARY KEY (block, [bit])
    );
    SELECT @first = MIN(p.sequence), @last = MAX(p.sequence)
    FROM (SELECT TOP (@rows_max) m.sequence
          FROM ringtable.backlog AS m
          WHERE m.shard_id = @shard_id AND m.address_id = @address_id AND m.sequence > @after
          ORDER BY m.sequence) AS p;
    -- The ledger before the rows: what it lacks of a row that is there is owed, or was a moment ago.
    INSERT INTO @ledger (block, [bit], settled)
    SELECT l.block, l.[bit], l.settled
    FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = @shard_id AND l.address_id = @address_id AND l.block >= @first / 1024 AND l.block <= @last / 1024;
    SELECT @last AS looked_to;
    SELECT m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending - COALESCE((SELECT SUM(POWER(CAST(2 AS BIGINT), l.[bit]))
                                 FROM @ledger AS l
                                 WHERE l.block = m.sequence / 1024
                                   AND m.pending & POWER(CAST(2 AS BIGINT), l.[bit]) <> 0
                                   AND CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                                       & POWER(2, CAST(m.sequence % 8 AS INT)) <> 0), 0) AS pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes,
           m.body
    FROM ringtable.backlog AS m
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence > @after
      AND m.sequence <= @last
      AND m.group_no = @group_no
      AND m.pending & POWER(CAST(2 AS BIGINT), @bit) <> 0
      AND NOT EXISTS (SELECT 1
                      FROM @ledger AS l
                      WHERE l.block = m.sequence / 1024
                        AND l.[bit] = @bit
                        AND CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                            & POWER(2, CAST(m.sequence % 8 AS INT)) <> 0)
    ORDER BY m.sequence
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO

-- read_backlog_facts: messages of an address in the backlog that named the bit when they were moved, in order, without bodies, at
--              most @rows_max of them above @after.
-- Locks:       none that outlasts a row; one table.
-- Access path: backlog_pk, a range; read only as far as the caller needs.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.read_backlog_facts
    @shard_id INT,
    @address_id BIGINT,
    @group_no INT,
    @bit INT,
    @after BIGINT,
    @rows_max INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT TOP (@rows_max)
           m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes
    FROM ringtable.backlog AS m
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence > @after
      AND m.group_no = @group_no
      AND m.pending & POWER(CAST(2 AS BIGINT), @bit) <> 0
    ORDER BY m.sequence;
END;
GO

-- read_backlog_owed: how many messages of a stretch of one address's backlog each live subscription still owes.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: backlog_pk, backlog_settlement_pk and subscription_bit_is_held_once, ranges.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.read_backlog_owed
    @shard_id INT,
    @address_id BIGINT,
    @from_sequence BIGINT,
    @to_sequence BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @ledger TABLE (
        block   BIGINT      NOT NULL,
        [bit]   SMALLINT    NOT NULL,
        settled BINARY(128) NOT NULL,
        PRIMARY KEY (block, [bit])
    );
    DECLARE @readers TABLE (
        group_no        SMALLINT NOT NULL,
        [bit]           SMALLINT NOT NULL,
        subscription_id BIGINT   NOT NULL,
        from_sequence   BIGINT   NOT NULL,
        PRIMARY KEY (group_no, [bit])
    );
    INSERT INTO @ledger (block, [bit], settled)
    SELECT l.block, l.[bit], l.settled
    FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = @shard_id AND l.address_id = @address_id AND l.block >= @from_sequence / 1024
      AND l.block <= @to_sequence / 1024;
    INSERT INTO @readers (group_no, [bit], subscription_id, from_sequence)
    SELECT u.group_no, u.[bit], u.subscription_id, u.from_sequence
    FROM ringtable.subscription AS u
    WHERE u.shard_id = @shard_id AND u.address_id = @address_id;
    SELECT u.subscription_id, COUNT(*) AS messages
    FROM ringtable.backlog AS m
    JOIN @readers AS u
        ON u.group_no = m.group_no AND u.from_sequence <= m.sequence
           AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
    LEFT JOIN @ledger AS l ON l.block = m.sequence / 1024 AND l.[bit] = u.[bit]
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence >= @from_sequence
      AND m.sequence < @to_sequence
      AND (l.settled IS NULL
           OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
              & POWER(2, CAST(m.sequence % 8 AS INT)) = 0)
    GROUP BY u.subscription_id
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO

-- read_backlog_ledger: the ledger of an address's backlog.
-- Locks:       none that outlasts a row.
-- Access path: backlog_settlement_pk, a range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.read_backlog_ledger
    @shard_id INT,
    @address_id BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT l.address_id, l.block, l.[bit], l.settled
    FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = @shard_id AND l.address_id = @address_id
    ORDER BY l.block, l.[bit];
END;
GO

-- read_body: the chunks of a body, in order.
-- Locks:       none that outlasts a row.
-- Access path: overflow_pk, a range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.read_body
    @shard_id INT,
    @body_id BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT o.chunk, o.chunks, o.data
    FROM ringtable.overflow AS o
    WHERE o.shard_id = @shard_id AND o.body_id = @body_id
    ORDER BY o.chunk;
END;
GO

-- read_orphans: bodies that neither a ring row from the gate on nor a backlog row names.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: overflow_pk; slot_pk, the whole ring, once, and only if there are bodies; backlog_in_overflow.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.read_orphans
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @gate BIGINT;
    DECLARE @staged TABLE (body_id BIGINT NOT NULL PRIMARY KEY);
    DECLARE @named TABLE (body_id BIGINT NOT NULL PRIMARY KEY);
    INSERT INTO @staged (body_id)
    SELECT DISTINCT o.body_id FROM ringtable.overflow AS o WHERE o.shard_id = @shard_id;
    SELECT @gate = h.gate FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    -- The ring before the backlog: what reclaim moves meanwhile is found there.
    IF EXISTS (SELECT 1 FROM @staged)
        INSERT INTO @named (body_id)
        SELECT DISTINCT m.body_id
        FROM ringtable.slot AS m
        WHERE m.shard_id = @shard_id AND m.sequence >= @gate AND m.body_id IS NOT NULL;
    SELECT s.body_id
    FROM @staged AS s
    LEFT JOIN @named AS n ON n.body_id = s.body_id
    LEFT JOIN ringtable.backlog AS b ON b.shard_id = @shard_id AND b.body_id = s.body_id
    WHERE n.body_id IS NULL AND b.body_id IS NULL
    ORDER BY s.body_id
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO

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

-- What keeps messages from being stored twice is written by the flush that stores them: the number that a producer has come to,
-- and the ids of messages that carry one.

CREATE TYPE ringtable.producer_list AS TABLE (
    producer_id BIGINT NOT NULL PRIMARY KEY,
    last_number BIGINT NOT NULL,
    used_at     BIGINT NOT NULL -- milliseconds since 1970 UTC
);

CREATE TYPE ringtable.duplicate_id_list AS TABLE (
    address_id BIGINT         NOT NULL,
    position   INT            NOT NULL,
    ordinal    BIGINT         NOT NULL,
    id         VARBINARY(400) NOT NULL,
    PRIMARY KEY (address_id, position)
);
GO

-- flush_once: a batch with messages that are stored once: makes it durable together with what says so, or neither. It may have
--              something of the inbox in it as well. Apart from flush, which stays what it was for everybody else.
-- Locks:       as flush, which comes first: a former owner changes nothing. Then one key per producer and per id.
-- Access path: as flush and flush_inbox; producer_pk and duplicate_id_pk, one seek per row.
-- Changes:     as flush, and exactly one row per producer, which does not go back, and per id, which overwrites none that is
--              younger; else nothing. @once_rows_sent is how many rows the caller put into the two lists.
CREATE PROCEDURE ringtable.flush_once
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
    @inbox_ids NVARCHAR(MAX), -- a JSON array, none twice; perhaps empty
    @once_rows_sent INT,
    @producers ringtable.producer_list READONLY,
    @duplicate_ids ringtable.duplicate_id_list READONLY
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @none TABLE (id INT NOT NULL); -- stays empty, see the head of V002__verbs.sql
    DECLARE @message NVARCHAR(2048);
    DECLARE @producers_sent INT;
    DECLARE @ids_sent INT;
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
    IF @producers_sent + @ids_sent <> @once_rows_sent
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('flush_once: ', @producers_sent + @ids_sent, ' rows arrived where ', @once_rows_sent, ' were sent');
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
    COMMIT TRANSACTION;
END;
GO

-- Whose a client id is: the user's who first made a durable subscription with it.

CREATE TABLE ringtable.client_owner (
    shard_id  INT           NOT NULL,
    client_id NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- as subscription.client_id; one without a row is nobody's yet
    owner     NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- name of the user, as it logs in
    CONSTRAINT client_owner_pk PRIMARY KEY CLUSTERED (shard_id, client_id),
    CONSTRAINT client_owner_is_of_a_client CHECK (client_id <> N''),
    CONSTRAINT client_owner_is_somebody CHECK (owner <> N'')
);
GO

-- own_client:  says whose a client id is from now on.
-- Locks:       the owner row first, exclusive until commit; then the client id's row.
-- Access path: client_owner_pk.
-- Changes:     exactly one row of client_owner, perhaps from another user.
CREATE PROCEDURE ringtable.own_client
    @shard_id INT,
    @epoch BIGINT,
    @client_id NVARCHAR(400),
    @owner NVARCHAR(400)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @changed INT;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET next_id = shard.next_id WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    UPDATE ringtable.client_owner SET owner = @owner WHERE shard_id = @shard_id AND client_id = @client_id;
    SET @changed = @@ROWCOUNT;
    IF @changed = 0
    BEGIN
        INSERT INTO ringtable.client_owner (shard_id, client_id, owner) VALUES (@shard_id, @client_id, @owner);
        SET @changed = @@ROWCOUNT;
    END;
    IF @changed <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('client_owner: ', @changed, ' rows changed where 1 must');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;
END;
GO

-- disown_client: a client id is nobody's from now on.
-- Locks:       the owner row first, exclusive until commit; then the client id's row.
-- Access path: client_owner_pk.
-- Changes:     one row of client_owner, or none if it is nobody's already.
CREATE PROCEDURE ringtable.disown_client
    @shard_id INT,
    @epoch BIGINT,
    @client_id NVARCHAR(400)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET next_id = shard.next_id WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    DELETE FROM ringtable.client_owner WHERE shard_id = @shard_id AND client_id = @client_id;
    COMMIT TRANSACTION;
END;
GO

-- recover_client_owners: whose client ids are.
-- Locks:       none that outlasts a row.
-- Access path: client_owner_pk, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_client_owners
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT o.client_id, o.owner
    FROM ringtable.client_owner AS o
    WHERE o.shard_id = @shard_id
    ORDER BY o.client_id;
END;
GO

-- The codes of delivery tags (ADR 15): settle takes the tag of a delivery that the broker has made, and none that somebody has made up.
-- Whoever can read delivery_key and may execute settle can settle anything: setup/5_after_first_start.sql.

CREATE TABLE ringtable.delivery_key (
    shard_id INT           NOT NULL, -- whose deliveries
    secret   VARBINARY(24) NOT NULL, -- random, laid down by the first owner of the shard, the same for all later ones
    CONSTRAINT delivery_key_pk PRIMARY KEY CLUSTERED (shard_id),
    CONSTRAINT delivery_key_has_24_bytes CHECK (DATALENGTH(secret) = 24)
);
GO

-- keep_delivery_key: answers the shard's secret; lays down the proposed one if there is none. Two nodes that meet at the first start of all
--              may both want to lay it: the second one takes the first one's.
-- Locks:       one key of delivery_key, exclusive until it is laid; else none that outlasts the row.
-- Access path: delivery_key_pk.
-- Changes:     one row at the first start of all; nothing later.
CREATE PROCEDURE ringtable.keep_delivery_key
    @shard_id INT,
    @proposed VARBINARY(24)
AS
BEGIN
    SET NOCOUNT ON;
    BEGIN TRY
        INSERT INTO ringtable.delivery_key (shard_id, secret)
        SELECT @shard_id, @proposed
        WHERE NOT EXISTS (SELECT 1 FROM ringtable.delivery_key AS k WHERE k.shard_id = @shard_id);
    END TRY
    BEGIN CATCH
        IF ERROR_NUMBER() <> 2627
        BEGIN;
            THROW;
        END;
    END CATCH;
    SELECT k.secret FROM ringtable.delivery_key AS k WHERE k.shard_id = @shard_id;
END;
GO

-- tag_number: what up to ten digits of base64url stand for, the highest first: six bits each.
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

DROP PROCEDURE ringtable.settle;
GO

-- settle: settles a delivery inside the caller's transaction; for applications, who need EXECUTE on it and no right on any table.
--              The message is settled if, and only if, that transaction commits. Refuses with 53060 (RT-3060) what was settled before,
--              so that what it stands for is not done twice, and with 53061 to 53064 and 53350 what cannot be settled so; the caller's
--              transaction is rolled back then, so that nobody goes on by mistake.
-- Locks:       one key of inbox_settlement and of its index, exclusive until the caller's transaction ends. READ COMMITTED: nothing
--              that it reads stays locked. It waits for others who settle the same, and without READ_COMMITTED_SNAPSHOT for a flush
--              that is under way.
-- Access path: delivery_key_pk; inbox_settlement_settles_once; shard_pk, subscription_pk; settlement_pk or backlog_pk and backlog_settlement_pk.
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
    DECLARE @third_dot INT;
    DECLARE @isolation SMALLINT;
    DECLARE @delivered BIGINT;
    DECLARE @subscriber BIGINT;
    DECLARE @sequence BIGINT;
    DECLARE @code BIGINT;
    DECLARE @epoch BIGINT;
    DECLARE @bit SMALLINT;
    DECLARE @owed INT;
    DECLARE @number INT;
    DECLARE @own BIT;

    -- epoch.subscription.sequence.code, each of 1 to 10 digits of base64url, the code of 10
    SET @first_dot = CHARINDEX(N'.', @delivery);
    SET @second_dot = CHARINDEX(N'.', @delivery, @first_dot + 1);
    SET @third_dot = CHARINDEX(N'.', @delivery, @second_dot + 1);
    IF @delivery IS NULL OR @delivery COLLATE Latin1_General_100_BIN2 LIKE N'%[^A-Za-z0-9_.-]%' OR @first_dot NOT BETWEEN 2 AND 11
       OR @second_dot - @first_dot NOT BETWEEN 2 AND 11 OR @third_dot - @second_dot NOT BETWEEN 2 AND 11
       OR CHARINDEX(N'.', @delivery, @third_dot + 1) > 0 OR LEN(@delivery) - @third_dot <> 10
    BEGIN
        SET @message = CONCAT(N'RT-3061 ', COALESCE(N'''' + LEFT(@delivery, 100) + N'''', N'NULL'), N' is no delivery of a queue or a',
            N' durable subscription: give the delivery tag of the message as the broker sent it, epoch.subscription.sequence.code');
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
    SET @delivered = ringtable.tag_number(LEFT(@delivery, @first_dot - 1));
    SET @subscriber = ringtable.tag_number(SUBSTRING(@delivery, @first_dot + 1, @second_dot - @first_dot - 1));
    SET @sequence = ringtable.tag_number(SUBSTRING(@delivery, @second_dot + 1, @third_dot - @second_dot - 1));
    -- Before anything is written: a row of one that was made up would keep out those who hold the delivery.
    SELECT @code = CAST(SUBSTRING(HASHBYTES('SHA2_256', k.secret + CAST(@delivered AS BINARY(8)) + CAST(@subscriber AS BINARY(8))
                                                        + CAST(@sequence AS BINARY(8))), 1, 8) AS BIGINT)
                   & CAST(1152921504606846975 AS BIGINT)
    FROM ringtable.delivery_key AS k
    WHERE k.shard_id = 0;
    IF @code IS NULL OR @code <> ringtable.tag_number(SUBSTRING(@delivery, @third_dot + 1, 10))
    BEGIN
        SET @message = CONCAT(N'RT-3350 delivery ', @delivery, N' (epoch ', @delivered, N', subscription ', @subscriber, N', sequence ',
            @sequence, N') was made by no broker of this ring: give the delivery tag as the broker sent it');
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

-- The right to execute went with the procedure that was dropped. Whoever has it from another role than this one is granted it again by hand.
IF EXISTS (SELECT 1 FROM sys.database_principals AS p WHERE p.name = N'ringtable_application')
    GRANT EXECUTE ON ringtable.settle TO ringtable_application;
GO

-- The epoch of an owner never comes back, and a lease lasts no longer than it says.

DROP PROCEDURE IF EXISTS ringtable.acquire;
GO

-- acquire: takes the shard if it is free, if its lease has ended, or if the same node held it last. The epoch rises, at least
--          to the milliseconds since 1970: so none comes back that was given after the backup from which the database was
--          restored. A lease that begins in the future, as the server's clock was set back, is made to begin now.
-- Locks:       owner row, then lease, exclusive until commit: waits for whatever an earlier owner has under way. While another
--              node's lease runs it is only read, so a stand-by that asks again and again gets in nobody's way; once after
--              the clock was set back it writes the lease.
-- Access path: shard_pk, lease_pk.
-- Changes:     one row of shard and one of lease; or one of lease; or nothing. Answers (epoch, NULL, the epoch before, NULL) or
--              (NULL, holder, its epoch, milliseconds left). Parameters and answer never change: brokers of different versions
--              have to agree on them; earlier ones did not look at the epoch before.
CREATE PROCEDURE ringtable.acquire
    @shard_id INT,
    @node_id NVARCHAR(100),
    @node NVARCHAR(400),
    @lease_ms BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @epoch BIGINT;
    DECLARE @previous BIGINT;
    DECLARE @now_ms BIGINT;
    DECLARE @holder NVARCHAR(400);
    DECLARE @holder_id NVARCHAR(100);
    DECLARE @held_epoch BIGINT;
    DECLARE @held_ms BIGINT;
    DECLARE @left_ms BIGINT;

    SELECT @holder = l.node, @holder_id = l.node_id, @held_epoch = l.epoch, @held_ms = l.lease_ms,
           @left_ms = l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME())
    FROM ringtable.lease AS l
    WHERE l.shard_id = @shard_id;
    IF @holder_id <> @node_id AND @left_ms > 0
    BEGIN
        IF @left_ms > @held_ms
        BEGIN
            UPDATE ringtable.lease
            SET renewed_at = SYSUTCDATETIME()
            WHERE shard_id = @shard_id AND renewed_at > SYSUTCDATETIME();
            SET @left_ms = @held_ms;
        END;
        SELECT CAST(NULL AS BIGINT) AS epoch, @holder AS holder, @held_epoch AS held_epoch, @left_ms AS left_ms;
        RETURN;
    END;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET acquired_at = SYSUTCDATETIME() WHERE shard_id = @shard_id;
    IF @@ROWCOUNT = 0
        INSERT INTO ringtable.shard (shard_id, epoch, acquired_at, capacity, gate, dispatch_bound, next_id, slot_bytes)
        VALUES (@shard_id, 0, SYSUTCDATETIME(), NULL, 0, -1, 0, NULL);
    -- Keeps the owner from renewing while its lease is looked at again: somebody may have been quicker.
    UPDATE ringtable.lease SET lease_ms = lease.lease_ms WHERE shard_id = @shard_id;
    SET @holder_id = NULL;
    SELECT @holder = l.node, @holder_id = l.node_id, @held_epoch = l.epoch,
           @left_ms = l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME())
    FROM ringtable.lease AS l
    WHERE l.shard_id = @shard_id;
    IF @holder_id <> @node_id AND @left_ms > 0
    BEGIN
        ROLLBACK TRANSACTION;
        SELECT CAST(NULL AS BIGINT) AS epoch, @holder AS holder, @held_epoch AS held_epoch, @left_ms AS left_ms;
        RETURN;
    END;

    SELECT @previous = h.epoch FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    SET @now_ms = DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME());
    SET @epoch = @previous + 1;
    IF @epoch < @now_ms
        SET @epoch = @now_ms;
    UPDATE ringtable.shard SET epoch = @epoch WHERE shard_id = @shard_id;
    UPDATE ringtable.lease
    SET epoch = @epoch, node_id = @node_id, node = @node, renewed_at = SYSUTCDATETIME(), lease_ms = @lease_ms
    WHERE shard_id = @shard_id;
    IF @@ROWCOUNT = 0
        INSERT INTO ringtable.lease (shard_id, epoch, node_id, node, renewed_at, lease_ms)
        VALUES (@shard_id, @epoch, @node_id, @node, SYSUTCDATETIME(), @lease_ms);
    COMMIT TRANSACTION;
    SELECT @epoch AS epoch, CAST(NULL AS NVARCHAR(400)) AS holder, @previous AS held_epoch, CAST(NULL AS BIGINT) AS left_ms;
END;
GO
