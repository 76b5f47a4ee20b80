-- Tables, types and views as they are now, for people, on SQL Server 2019 and newer and Azure SQL. The verbs stand in
-- procedures, one per file. A test proves that migrations and procedures make exactly this.
-- Prose, growth and grants: ../README.md
--
-- There are no foreign keys: alter_catalog checks that the address of a subscription exists, and acquire writes shard
-- and lease together. (On a compatible server the check of a foreign key fails when it is planned anew: Babelfish 4.3.)

CREATE SCHEMA ringtable;
GO

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

-- Says nothing about ownership: which nodes there are, or were within the last day.
CREATE TABLE ringtable.node (
    node_id     NVARCHAR(100)  NOT NULL, -- id that the node keeps in its data directory
    run_id      VARCHAR(36)    NOT NULL, -- of the process: two with one node_id have copies of one data directory
    description NVARCHAR(400)  NOT NULL, -- for people: host and process
    version     NVARCHAR(100)  NOT NULL, -- of the broker
    state       VARCHAR(20)    NOT NULL, -- what the node said of itself: ACTIVE, STANDBY, FAILED and so on
    url         NVARCHAR(1000) NULL,     -- where clients reach it; NULL while it has no port
    seen_at     DATETIME2(3)   NOT NULL, -- when it last wrote this row, by the clock of this server
    lease_ms    BIGINT         NOT NULL, -- its lease: it counts as lost when it was not seen for longer
    CONSTRAINT node_pk PRIMARY KEY CLUSTERED (node_id),
    CONSTRAINT node_lease_is_positive CHECK (lease_ms > 0)
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
    -- JMS client id; empty for queues and global shared ones
    client_id       NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    -- within its client id; empty for the one of a queue
    name            NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
    group_no        SMALLINT      NOT NULL, -- which group of 63 on its address
    [bit]           SMALLINT      NOT NULL, -- its bit in slot.pending and backlog.pending
    from_sequence   BIGINT        NOT NULL, -- it owes no message below this
    dispatched_to   BIGINT        NULL,     -- highest sequence that may have been delivered; NULL = the shard's bound
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
    login_id        INT             NULL,     -- who published it: row of login; 0 = without a login; -1, NULL = not known
    CONSTRAINT slot_pk PRIMARY KEY CLUSTERED (shard_id, slot),
    CONSTRAINT slot_claimed_is_owed CHECK (sequence < 0 OR (pending > 0 AND reference_count BETWEEN 1 AND 63)),
    CONSTRAINT slot_body_is_here_or_in_overflow CHECK ((body IS NULL AND body_id IS NOT NULL) OR (body IS NOT NULL
        AND body_id IS NULL))
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
    login_id        INT             NULL,
    CONSTRAINT backlog_pk PRIMARY KEY CLUSTERED (shard_id, address_id, sequence),
    CONSTRAINT backlog_moved_is_owed CHECK (pending > 0 AND reference_count BETWEEN 1 AND 63),
    CONSTRAINT backlog_body_is_here_or_in_overflow CHECK ((body IS NULL AND body_id IS NOT NULL) OR (body IS NOT NULL
        AND body_id IS NULL))
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
    owner       NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NULL -- name of the user who opened it first; NULL = nobody yet
        CONSTRAINT producer_owner_is_somebody CHECK (owner <> N''),
    CONSTRAINT producer_pk PRIMARY KEY CLUSTERED (shard_id, producer_id),
    CONSTRAINT producer_name_is_unique UNIQUE NONCLUSTERED (shard_id, address_id, name),
    CONSTRAINT producer_incarnation_begins_with_1 CHECK (incarnation >= 1),
    CONSTRAINT producer_last_number_is_not_negative CHECK (last_number >= 0)
);

CREATE TABLE ringtable.duplicate_id (
    shard_id   INT            NOT NULL,
    address_id BIGINT         NOT NULL, -- whose messages came with the id (_AMQ_DUPL_ID)
    position   INT            NOT NULL, -- 0, 1, 2 ... below commit.duplicate-ids: the oldest is overwritten
    ordinal    BIGINT         NOT NULL, -- rises by one with every id of the address
    id         VARBINARY(400) NOT NULL, -- a string in UTF-8, or the bytes that the publisher gave
    CONSTRAINT duplicate_id_pk PRIMARY KEY CLUSTERED (shard_id, address_id, position),
    CONSTRAINT duplicate_id_is_not_empty CHECK (DATALENGTH(id) > 0),
    CONSTRAINT duplicate_id_position_is_not_negative CHECK (position >= 0 AND ordinal >= 0)
);

CREATE TABLE ringtable.replay (
    shard_id        INT    NOT NULL,
    subscription_id BIGINT NOT NULL, -- whom the copies are made for; the row stays as long as the subscription
    position        BIGINT NOT NULL, -- first sequence that has not been copied, written with the copies
    finished        BIT    NOT NULL, -- everything has been copied: it owes what is published from then on
    CONSTRAINT replay_pk PRIMARY KEY CLUSTERED (shard_id, subscription_id),
    CONSTRAINT replay_position_is_not_negative CHECK (position >= 0)
);

-- Whose a client id is: the user's who first made a durable subscription with it.

CREATE TABLE ringtable.client_owner (
    shard_id  INT           NOT NULL,
    client_id NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
        -- as subscription.client_id; one without a row is nobody's yet
    owner     NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- name of the user, as it logs in
    CONSTRAINT client_owner_pk PRIMARY KEY CLUSTERED (shard_id, client_id),
    CONSTRAINT client_owner_is_of_a_client CHECK (client_id <> N''),
    CONSTRAINT client_owner_is_somebody CHECK (owner <> N'')
);

-- What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages.

CREATE TABLE ringtable.setting (
    shard_id   INT           NOT NULL,
    kind       VARCHAR(10)   NOT NULL, -- user, rule, role, policy or job
    name       NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of a policy its pattern
    document   NVARCHAR(MAX) NOT NULL, -- JSON; which fields it has is the kind's affair
    changed_by NVARCHAR(400) NOT NULL, -- name of the user who set it last; empty = there are no users
    changed_at DATETIME2(3)  NOT NULL, -- when
    CONSTRAINT setting_pk PRIMARY KEY CLUSTERED (shard_id, kind, name),
    CONSTRAINT setting_kind_is_known CHECK (kind IN ('user', 'rule', 'role', 'policy', 'job')),
    CONSTRAINT setting_has_a_name CHECK (name <> N'')
);

-- By which logins messages were published: what the broker or the server has checked, other than the user-id of a
-- message.

CREATE TABLE ringtable.login (
    shard_id INT           NOT NULL,
    login_id INT           NOT NULL, -- 1, 2, 3 ...: never reused in its shard
    kind     VARCHAR(10)   NOT NULL, -- user: of the broker; database: of a transaction that published by SQL; broker
    name     NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of the user; empty if none or not known
    CONSTRAINT login_pk PRIMARY KEY CLUSTERED (shard_id, login_id),
    CONSTRAINT login_id_begins_with_1 CHECK (login_id >= 1),
    CONSTRAINT login_kind_is_known CHECK (kind IN ('user', 'database', 'broker'))
);

-- Where names live: one home for each name. Both are read in the database of shard 0, and stay empty while there is
-- one shard.

CREATE TABLE ringtable.directory (
    directory_id SMALLINT NOT NULL, -- always 0
    version      BIGINT   NOT NULL, -- of the latest change of home; 0 = there was none
    removed_at   BIGINT   NOT NULL, -- of the latest change that removed a row: who knows an older one reads all of home
    CONSTRAINT directory_pk PRIMARY KEY CLUSTERED (directory_id),
    CONSTRAINT directory_is_one_row CHECK (directory_id = 0),
    CONSTRAINT directory_removal_is_a_version CHECK (removed_at BETWEEN 0 AND version)
);

INSERT INTO ringtable.directory (directory_id, version, removed_at) VALUES (0, 0, 0);

CREATE TABLE ringtable.home (
    scope    VARCHAR(12)   COLLATE Latin1_General_100_BIN2 NOT NULL, -- address, subscription or client; handover: one
        -- row. shards: a row named all, and one for each node by its id. affinity: where its
        -- first address was made
    name     NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- unique in its scope; of a subscription the
        -- length of its client id, a bar, the client id, a bar and its name; of a longer one the first 320, a bar and
        -- a SHA-256
    part     INT           NOT NULL, -- 0, 1, 2 ...: of what has parts; 0 for all others
    kind     VARCHAR(5)    NOT NULL, -- queue or topic; empty for what is no address
    shard_id INT           NOT NULL, -- where it lives; -1 for a client id, which lives in no shard. In the
        -- scope shards how many there are
    owner    NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- user whom a client id or a global subscription
        -- belongs to; empty = nobody, or an address
    state    VARCHAR(5)    NOT NULL, -- here; or going: it is being deleted, and nobody may make it
    version  BIGINT        NOT NULL, -- of its latest change: a change names the version that it supersedes
    next_shard_id INT      NOT NULL -- where an address moves to; -1 = it stays
        CONSTRAINT home_next_is_none DEFAULT -1,
    CONSTRAINT home_next_is_another CHECK
        (next_shard_id = -1 OR scope = 'address' AND next_shard_id >= 0 AND next_shard_id <> shard_id),
    CONSTRAINT home_pk PRIMARY KEY CLUSTERED (scope, name, part),
    CONSTRAINT home_scope_is_known CHECK
        (scope IN ('address', 'subscription', 'client', 'handover', 'shards', 'affinity')),
    CONSTRAINT home_has_a_name CHECK (name <> N''),
    CONSTRAINT home_part_is_not_negative CHECK (part >= 0),
    CONSTRAINT home_kind_is_of_an_address CHECK
        (scope = 'address' AND kind IN ('queue', 'topic') OR scope <> 'address' AND kind = ''),
    CONSTRAINT home_is_a_shard CHECK (scope = 'client' AND shard_id = -1 OR scope <> 'client' AND shard_id >= 0),
    CONSTRAINT home_state_is_known CHECK (state IN ('here', 'going')),
    CONSTRAINT home_version_is_positive CHECK (version > 0)
);

-- The inbox: what applications publish and settle inside their own transactions. The broker takes what is committed
-- over into the ring and its ledger, and deletes exactly those rows in the flush that does so.

CREATE TABLE ringtable.inbox (
    shard_id     INT            NOT NULL, -- the ring that will hold the message
    -- rises with every call of publish; gaps are roll-backs and restarts
    inbox_id     BIGINT         IDENTITY (1, 1) NOT NULL,
    address      NVARCHAR(400)  COLLATE Latin1_General_100_BIN2 NOT NULL, -- where it goes, without prefix
    kind         VARCHAR(5)     NULL,     -- queue or topic, as the caller wrote it; NULL = the caller did not say
    session_id   INT            NOT NULL, -- who published it: tells read_inbox which rows are of one transaction
    body_text    NVARCHAR(MAX)  NULL,     -- a text as the caller gave it
    body         VARBINARY(MAX) NULL,     -- or bytes
    properties   NVARCHAR(MAX)  NOT NULL, -- a flat JSON object; publish knows some keys of it
    published_at DATETIME2(3)   NOT NULL, -- when publish was called
    published_by NVARCHAR(128)  NULL,     -- login of the server that called it; NULL = not known
    CONSTRAINT inbox_pk PRIMARY KEY CLUSTERED (shard_id, inbox_id),
    CONSTRAINT inbox_kind_is_queue_or_topic CHECK (kind IN ('queue', 'topic')),
    CONSTRAINT inbox_body_is_text_or_bytes CHECK ((body_text IS NULL AND body IS NOT NULL) OR (body_text IS NOT NULL
        AND body IS NULL)),
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

-- Shards in several databases (ADR 63).

-- Where each shard of the broker lies, the same rows in each of its databases; empty while all lie in one. Its shape
-- never changes.
CREATE TABLE ringtable.placement (
    shard_id INT            NOT NULL,
    -- random, made once for each shard: tells its database from another one of the same address
    token    VARCHAR(40)    NOT NULL,
    here     SMALLINT       NOT NULL, -- 1 = the shard lies in this database
    store    NVARCHAR(200)  NOT NULL, -- name of its store in the configuration; main = ringtable.store
    place    NVARCHAR(1000) NOT NULL, -- for people: address of its database
    CONSTRAINT placement_pk PRIMARY KEY CLUSTERED (shard_id),
    CONSTRAINT placement_here_is_0_or_1 CHECK (here IN (0, 1))
);
-- What a shard has taken over last from the inbox of another database: its rows may still lie there.
CREATE TABLE ringtable.crossing (
    shard_id  INT           NOT NULL, -- the shard that takes over
    origin    INT           NOT NULL, -- the other database, by its lowest shard
    number    BIGINT        NOT NULL, -- rises with every call: a call that comes late changes nothing
    inbox_ids NVARCHAR(MAX) NOT NULL, -- rows of the last call, by their ids in the other database: a JSON array
    CONSTRAINT crossing_pk PRIMARY KEY CLUSTERED (shard_id, origin)
);

-- The codes of delivery tags (ADR 15): settle takes the tag of a delivery that the broker has made, and none that
-- somebody has made up. Whoever can read delivery_key and may execute settle can settle anything:
-- setup/5_after_first_start.sql.

CREATE TABLE ringtable.delivery_key (
    shard_id INT           NOT NULL, -- whose deliveries
    secret   VARBINARY(24) NOT NULL, -- random, laid down by the first owner of the shard, the same for all later ones
    CONSTRAINT delivery_key_pk PRIMARY KEY CLUSTERED (shard_id),
    CONSTRAINT delivery_key_has_24_bytes CHECK (DATALENGTH(secret) = 24)
);
GO

-- What a flush writes: table-valued parameters.

CREATE TYPE ringtable.message_list AS TABLE (
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
    body            VARBINARY(8000) NULL,
    login_id        INT             NOT NULL
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

CREATE TYPE ringtable.replay_list AS TABLE (
    subscription_id BIGINT NOT NULL PRIMARY KEY,
    position        BIGINT NOT NULL
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
   OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT) & POWER(2,
       CAST(m.sequence % 8 AS INT)) = 0
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
   OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT) & POWER(2,
       CAST(m.sequence % 8 AS INT)) = 0;
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
