-- The whole schema as it is now, for people. Migrations make it; a test proves that they make exactly this.
-- Instants are milliseconds since 1970-01-01 UTC; 0 stands for none. Sequences and ids fit 63 bits.

PRAGMA application_id = 0x52695462; -- "RiTb": what file(1) and an operator see in the header of the file

CREATE TABLE shard (
    shard_id         INTEGER PRIMARY KEY, -- 0: a SQLite file holds one shard
    epoch            INTEGER NOT NULL,    -- rises with every owner; a write that names another one is refused
    node_id          TEXT    NOT NULL,    -- id that the owner keeps in its data directory
    node             TEXT    NOT NULL,    -- host and process of the owner, for people
    acquired_at      INTEGER NOT NULL,    -- when the owner took the shard
    capacity         INTEGER NOT NULL,    -- slots of the ring; 0 = not laid yet
    gate             INTEGER NOT NULL,    -- below it the ring has been cleared
    dispatch_bound   INTEGER NOT NULL,    -- highest sequence that may have been delivered; -1 = none
    next_id          INTEGER NOT NULL,    -- lowest id never given to an address, subscription or producer
    CONSTRAINT a_file_holds_one_shard CHECK (shard_id = 0),
    CONSTRAINT epoch_begins_with_1 CHECK (epoch >= 1),
    CONSTRAINT gate_is_first_of_a_block CHECK (gate >= 0 AND gate % 1024 = 0),
    CONSTRAINT capacity_is_whole_segments CHECK (capacity >= 0 AND capacity % 8192 = 0)
) STRICT;

CREATE TABLE node (
    node_id          TEXT    PRIMARY KEY, -- id that the node keeps in its data directory
    run_id           TEXT    NOT NULL,    -- of the process
    description      TEXT    NOT NULL,    -- host and process, for people
    version          TEXT    NOT NULL,    -- of the broker
    state            TEXT    NOT NULL,    -- what the node said of itself: ACTIVE, FAILED and so on
    url              TEXT,                -- where clients reach it; NULL while it has no port
    seen_at          INTEGER NOT NULL,    -- when it last wrote this row: on SQLite once a minute, or with a change
    lease_ms         INTEGER NOT NULL,    -- its lease
    CONSTRAINT lease_is_positive CHECK (lease_ms > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE address (
    address_id       INTEGER PRIMARY KEY, -- never reused
    name             TEXT    NOT NULL,    -- without prefix, compared byte by byte
    kind             TEXT    NOT NULL,    -- queue or topic
    quota_messages   INTEGER NOT NULL,    -- most messages owed on it
    quota_bytes      INTEGER NOT NULL,    -- most bytes owed on it
    CONSTRAINT address_name_is_unique_in_its_kind UNIQUE (name, kind),
    CONSTRAINT kind_is_queue_or_topic CHECK (kind IN ('queue', 'topic'))
) STRICT;

CREATE TABLE subscription (
    subscription_id  INTEGER PRIMARY KEY, -- never reused
    address_id       INTEGER NOT NULL,    -- what it reads
    client_id        TEXT    NOT NULL,    -- JMS client id; empty for queues and global shared subscriptions
    name             TEXT    NOT NULL,    -- name within its client id; empty for the one subscription of a queue
    group_no         INTEGER NOT NULL,    -- which 63 subscriptions of its address it belongs to
    bit              INTEGER NOT NULL,    -- its bit in pending, within its group
    from_sequence    INTEGER NOT NULL,    -- it owes nothing below
    dispatched_to    INTEGER,             -- highest sequence that may have been delivered to it; NULL = the shard's bound
    selector         TEXT,                -- JMS selector; NULL = every message
    no_local         INTEGER NOT NULL,    -- 1 = nothing that its own client published
    shared           INTEGER NOT NULL,    -- 1 = several links may read it at once
    CONSTRAINT a_bit_has_one_subscription UNIQUE (address_id, group_no, bit),
    CONSTRAINT bit_is_0_to_62 CHECK (bit BETWEEN 0 AND 62),
    CONSTRAINT no_local_is_0_or_1 CHECK (no_local IN (0, 1)),
    CONSTRAINT shared_is_0_or_1 CHECK (shared IN (0, 1)),
    CONSTRAINT subscription_reads_an_address FOREIGN KEY (address_id) REFERENCES address (address_id)
) STRICT;

CREATE TABLE slot (
    slot             INTEGER PRIMARY KEY, -- sequence mod capacity: the rowid, never inserted or deleted once laid
    sequence         INTEGER NOT NULL,    -- message in the slot; it is in the ring only while gate <= sequence
    address_id       INTEGER NOT NULL,    -- where it was published
    published_at     INTEGER NOT NULL,    -- when the broker took it
    priority         INTEGER NOT NULL,    -- 0 to 9, JMS's meaning
    expires_at       INTEGER NOT NULL,    -- 0 = never
    deliver_at       INTEGER NOT NULL,    -- not before; 0 = at once
    group_no         INTEGER NOT NULL,    -- group of subscriptions that the bits of pending belong to
    reference_count  INTEGER NOT NULL,    -- bits of pending: how many owed it at publish
    pending          INTEGER NOT NULL,    -- who owed it at publish, one bit each; settling never touches it
    body_id          INTEGER NOT NULL,    -- body in overflow; 0 = the body stands here
    body_bytes       INTEGER NOT NULL,    -- length of the encoded message, wherever it stands
    body             BLOB,                -- the encoded message as it came; NULL = in overflow
    login_id         INTEGER NOT NULL DEFAULT -1, -- who published it: row of login; 0 = without a login, -1 = not known
    CONSTRAINT a_claimed_slot_is_owed CHECK (reference_count > 0 OR sequence < 0),
    CONSTRAINT pending_is_63_bits CHECK (pending >= 0),
    CONSTRAINT priority_is_0_to_9 CHECK (priority BETWEEN 0 AND 9),
    CONSTRAINT body_stands_here_or_in_overflow CHECK (CASE body_id WHEN 0 THEN length(body) = body_bytes ELSE body IS NULL END)
) STRICT;

CREATE TABLE settlement (
    block            INTEGER NOT NULL,    -- sequence / 1024
    bit              INTEGER NOT NULL,    -- whose settlements; a message has one address, so (sequence, bit) names both
    settled          BLOB    NOT NULL,    -- 1,024 bits, least significant first: sequence = block * 1024 + index
    CONSTRAINT settlement_pk PRIMARY KEY (block, bit),
    CONSTRAINT bit_is_0_to_62 CHECK (bit BETWEEN 0 AND 62),
    CONSTRAINT settled_is_1024_bits CHECK (length(settled) = 128)
) STRICT, WITHOUT ROWID;

CREATE TABLE backlog (
    sequence         INTEGER PRIMARY KEY, -- the rowid: reclaim appends in order, however many addresses take part
    address_id       INTEGER NOT NULL,
    published_at     INTEGER NOT NULL,
    priority         INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL,
    deliver_at       INTEGER NOT NULL,
    group_no         INTEGER NOT NULL,
    reference_count  INTEGER NOT NULL,    -- bits of pending: how many owed it when it was moved
    pending          INTEGER NOT NULL,    -- who owed it when it was moved
    body_id          INTEGER NOT NULL,
    body_bytes       INTEGER NOT NULL,
    body             BLOB,
    login_id         INTEGER NOT NULL DEFAULT -1,
    CONSTRAINT a_moved_message_is_owed CHECK (reference_count > 0 AND pending > 0),
    CONSTRAINT body_stands_here_or_in_overflow CHECK (CASE body_id WHEN 0 THEN length(body) = body_bytes ELSE body IS NULL END)
) STRICT;

CREATE INDEX backlog_by_address ON backlog (address_id, sequence);
CREATE INDEX backlog_expiring ON backlog (address_id, expires_at) WHERE expires_at > 0;
CREATE INDEX backlog_delayed ON backlog (address_id, deliver_at) WHERE deliver_at > 0;
CREATE INDEX backlog_in_overflow ON backlog (body_id) WHERE body_id > 0;

CREATE TABLE backlog_settlement (
    address_id       INTEGER NOT NULL,
    block            INTEGER NOT NULL,    -- sequence / 1024
    bit              INTEGER NOT NULL,
    settled          BLOB    NOT NULL,    -- as in settlement, for messages of this address below the gate
    CONSTRAINT backlog_settlement_pk PRIMARY KEY (address_id, block, bit),
    CONSTRAINT bit_is_0_to_62 CHECK (bit BETWEEN 0 AND 62),
    CONSTRAINT settled_is_1024_bits CHECK (length(settled) = 128)
) STRICT, WITHOUT ROWID;

CREATE TABLE backlog_summary (
    address_id       INTEGER PRIMARY KEY, -- one row per address that has a backlog, so that recovery need not read it
    first_sequence   INTEGER NOT NULL,
    last_sequence    INTEGER NOT NULL,
    messages         INTEGER NOT NULL,    -- rows in backlog
    bytes            INTEGER NOT NULL,    -- sum of their body_bytes
    first_expires_at INTEGER NOT NULL,    -- earliest expiry; 0 = none expires
    first_deliver_at INTEGER NOT NULL,    -- earliest delivery time; 0 = none waits
    CONSTRAINT an_empty_backlog_has_no_summary CHECK (messages > 0 AND bytes >= 0),
    CONSTRAINT first_is_not_after_last CHECK (first_sequence <= last_sequence)
) STRICT;

CREATE TABLE redelivery (
    sequence         INTEGER NOT NULL,
    subscription_id  INTEGER NOT NULL,
    count            INTEGER NOT NULL,    -- failed deliveries so far
    not_before       INTEGER NOT NULL,    -- not delivered again before; 0 = at once
    CONSTRAINT redelivery_pk PRIMARY KEY (sequence, subscription_id),
    CONSTRAINT count_begins_with_1 CHECK (count >= 1)
) STRICT, WITHOUT ROWID;

CREATE TABLE overflow (
    body_id          INTEGER NOT NULL,    -- never reused; named by slot or backlog once its message is claimed
    chunk            INTEGER NOT NULL,    -- 0, 1, 2 ...
    chunks           INTEGER NOT NULL,    -- how many the body has
    data             BLOB    NOT NULL,    -- at most 1 MiB
    CONSTRAINT overflow_pk PRIMARY KEY (body_id, chunk),
    CONSTRAINT chunk_is_below_chunks CHECK (chunk >= 0 AND chunk < chunks),
    CONSTRAINT a_chunk_is_at_most_1_mib CHECK (length(data) <= 1048576)
) STRICT;

-- By which logins messages were published: what the broker has checked, other than the user-id of a message.

CREATE TABLE login (
    login_id         INTEGER PRIMARY KEY, -- 1, 2, 3 ...: never reused; what slot.login_id and backlog.login_id name
    kind             TEXT    NOT NULL,    -- user: of the broker; database: of a transaction of its own; broker: itself
    name             TEXT    NOT NULL,    -- of the user, as it logs in; empty if there is none or it is not known
    CONSTRAINT login_id_begins_with_1 CHECK (login_id >= 1),
    CONSTRAINT login_kind_is_known CHECK (kind IN ('user', 'database', 'broker')),
    CONSTRAINT login_of_a_user_has_a_name CHECK (kind <> 'user' OR name <> '')
) STRICT;

-- Where names live: one home for each name. The rows are in the file of shard 0, once there are several shards.

CREATE TABLE directory (
    directory_id     INTEGER PRIMARY KEY, -- always 0
    version          INTEGER NOT NULL,    -- of the latest change of home; 0 = there was none
    removed_at       INTEGER NOT NULL,    -- of the latest change that removed a row: who knows an older one reads all
    CONSTRAINT directory_is_one_row CHECK (directory_id = 0),
    CONSTRAINT directory_removal_is_a_version CHECK (removed_at BETWEEN 0 AND version)
) STRICT;

INSERT INTO directory (directory_id, version, removed_at) VALUES (0, 0, 0);

CREATE TABLE home (
    scope            TEXT    NOT NULL, -- address, subscription or client: names of one scope are unique
    name             TEXT    NOT NULL, -- of a subscription the length of its client id, a bar, the client id, a bar and
                                       -- its name; of more than 400 characters the first 320, a bar and a SHA-256
    part             INTEGER NOT NULL, -- 0, 1, 2 ...: of what has parts; 0 for all others
    kind             TEXT    NOT NULL, -- queue or topic; empty for what is no address
    shard_id         INTEGER NOT NULL, -- where it lives; -1 for a client id, which lives in no shard
    owner            TEXT    NOT NULL, -- user whom a client id or a global subscription belongs to; empty = nobody
    state            TEXT    NOT NULL, -- here; or going: it is being deleted, and nobody may make it
    version          INTEGER NOT NULL, -- of its latest change: a change names the version that it supersedes
    next_shard_id    INTEGER NOT NULL DEFAULT -1 -- where an address moves to; -1 = it stays
        CONSTRAINT home_next_is_another CHECK (next_shard_id = -1 OR scope = 'address' AND next_shard_id >= 0
            AND next_shard_id <> shard_id),
    PRIMARY KEY (scope, name, part),
    CONSTRAINT home_scope_is_known CHECK (scope IN ('address', 'subscription', 'client')),
    CONSTRAINT home_has_a_name CHECK (name <> ''),
    CONSTRAINT home_part_is_not_negative CHECK (part >= 0),
    CONSTRAINT home_kind_is_of_an_address
        CHECK (scope = 'address' AND kind IN ('queue', 'topic') OR scope <> 'address' AND kind = ''),
    CONSTRAINT home_is_a_shard CHECK (scope = 'client' AND shard_id = -1 OR scope <> 'client' AND shard_id >= 0),
    CONSTRAINT home_state_is_known CHECK (state IN ('here', 'going')),
    CONSTRAINT home_version_is_positive CHECK (version > 0)
) STRICT, WITHOUT ROWID;

-- What keeps a message from being stored twice.

CREATE TABLE producer (
    producer_id      INTEGER PRIMARY KEY, -- never reused
    address_id       INTEGER NOT NULL,    -- where it publishes numbered messages
    name             TEXT    NOT NULL,    -- the producer id that its application chose
    incarnation      INTEGER NOT NULL,    -- rises whenever an application opens it anew: earlier ones are fenced
    last_number      INTEGER NOT NULL,    -- number of its last message that is stored, written with it; 0 = none
    used_at          INTEGER NOT NULL,    -- when it was opened, or its last message was taken
    owner            TEXT,                -- name of the user who opened it first, as it logs in; NULL = nobody yet
    CONSTRAINT producer_name_is_unique_on_its_address UNIQUE (address_id, name),
    CONSTRAINT producer_publishes_to_an_address FOREIGN KEY (address_id) REFERENCES address (address_id),
    CONSTRAINT incarnation_begins_with_1 CHECK (incarnation >= 1),
    CONSTRAINT last_number_is_not_negative CHECK (last_number >= 0),
    CONSTRAINT producer_owner_is_somebody CHECK (owner <> '')
) STRICT;

CREATE TABLE duplicate_id (
    address_id       INTEGER NOT NULL,    -- whose messages came with the id (_AMQ_DUPL_ID)
    position         INTEGER NOT NULL,    -- 0, 1, 2 ... below commit.duplicate-ids: the oldest of the window is overwritten
    ordinal          INTEGER NOT NULL,    -- rises by one with every id of the address
    id               BLOB    NOT NULL,    -- a string in UTF-8, or the bytes that the publisher gave
    CONSTRAINT duplicate_id_pk PRIMARY KEY (address_id, position),
    CONSTRAINT position_is_not_negative CHECK (position >= 0 AND ordinal >= 0),
    CONSTRAINT id_is_1_to_400_bytes CHECK (length(id) BETWEEN 1 AND 400)
) STRICT, WITHOUT ROWID;

-- For people: who owes what, in the ring and in the backlog. One row per message and subscription.
CREATE VIEW owed AS
SELECT 'ring' AS place,
       m.sequence,
       a.name AS address,
       s.subscription_id,
       s.client_id,
       s.name AS subscription,
       datetime(m.published_at / 1000, 'unixepoch') AS published,
       m.body_bytes
FROM shard AS h
CROSS JOIN slot AS m
JOIN subscription AS s
    ON s.address_id = m.address_id AND s.group_no = m.group_no AND s.from_sequence <= m.sequence
JOIN address AS a
    ON a.address_id = m.address_id
LEFT JOIN settlement AS l
    ON l.block = m.sequence / 1024 AND l.bit = s.bit
WHERE m.sequence >= h.gate
  AND m.pending >> s.bit & 1
  -- the bit of this sequence in the bitmap: its byte in hexadecimal, of that the digit, of that the bit
  AND (l.settled IS NULL OR NOT instr('123456789ABCDEF', substr(hex(substr(l.settled, m.sequence % 1024 / 8 + 1, 1)),
      2 - m.sequence % 8 / 4, 1)) >> m.sequence % 4 & 1)
UNION ALL
SELECT 'backlog',
       m.sequence,
       a.name,
       s.subscription_id,
       s.client_id,
       s.name,
       datetime(m.published_at / 1000, 'unixepoch'),
       m.body_bytes
FROM backlog AS m
JOIN subscription AS s
    ON s.address_id = m.address_id AND s.group_no = m.group_no AND s.from_sequence <= m.sequence
JOIN address AS a
    ON a.address_id = m.address_id
LEFT JOIN backlog_settlement AS l
    ON l.address_id = m.address_id AND l.block = m.sequence / 1024 AND l.bit = s.bit
WHERE m.pending >> s.bit & 1
  AND (l.settled IS NULL OR NOT instr('123456789ABCDEF', substr(hex(substr(l.settled, m.sequence % 1024 / 8 + 1, 1)),
      2 - m.sequence % 8 / 4, 1)) >> m.sequence % 4 & 1);

-- For people: where each message stands, and how many owe it now.
CREATE VIEW messages AS
SELECT 'ring' AS place,
       m.sequence,
       m.slot,
       a.name AS address,
       datetime(m.published_at / 1000, 'unixepoch') AS published,
       m.priority,
       CASE WHEN m.expires_at > 0 THEN datetime(m.expires_at / 1000, 'unixepoch') END AS expires,
       CASE WHEN m.deliver_at > 0 THEN datetime(m.deliver_at / 1000, 'unixepoch') END AS deliver_not_before,
       m.body_bytes,
       m.reference_count AS references_at_publish,
       (SELECT count(*)
        FROM subscription AS s
        LEFT JOIN settlement AS l ON l.block = m.sequence / 1024 AND l.bit = s.bit
        WHERE s.address_id = m.address_id
          AND s.group_no = m.group_no
          AND s.from_sequence <= m.sequence
          AND m.pending >> s.bit & 1
          AND (l.settled IS NULL OR NOT instr('123456789ABCDEF', substr(hex(substr(l.settled,
              m.sequence % 1024 / 8 + 1, 1)), 2 - m.sequence % 8 / 4, 1)) >> m.sequence % 4 & 1)) AS reference_count
FROM shard AS h
CROSS JOIN slot AS m
LEFT JOIN address AS a ON a.address_id = m.address_id
WHERE m.sequence >= h.gate
UNION ALL
SELECT 'backlog',
       m.sequence,
       NULL,
       a.name,
       datetime(m.published_at / 1000, 'unixepoch'),
       m.priority,
       CASE WHEN m.expires_at > 0 THEN datetime(m.expires_at / 1000, 'unixepoch') END,
       CASE WHEN m.deliver_at > 0 THEN datetime(m.deliver_at / 1000, 'unixepoch') END,
       m.body_bytes,
       m.reference_count,
       (SELECT count(*)
        FROM subscription AS s
        LEFT JOIN backlog_settlement AS l
            ON l.address_id = m.address_id AND l.block = m.sequence / 1024 AND l.bit = s.bit
        WHERE s.address_id = m.address_id
          AND s.group_no = m.group_no
          AND s.from_sequence <= m.sequence
          AND m.pending >> s.bit & 1
          AND (l.settled IS NULL OR NOT instr('123456789ABCDEF', substr(hex(substr(l.settled,
              m.sequence % 1024 / 8 + 1, 1)), 2 - m.sequence % 8 / 4, 1)) >> m.sequence % 4 & 1))
FROM backlog AS m
LEFT JOIN address AS a ON a.address_id = m.address_id;

-- Views for people, beside owed and messages: what can be published to, and who reads it.

CREATE VIEW addresses AS
SELECT a.address_id,
       a.name AS address,
       a.kind,
       (SELECT count(*) FROM subscription AS u WHERE u.address_id = a.address_id) AS subscriptions,
       coalesce(b.messages, 0) AS backlog_messages,
       coalesce(b.bytes, 0) AS backlog_bytes,
       a.quota_messages,
       a.quota_bytes
FROM address AS a
LEFT JOIN backlog_summary AS b ON b.address_id = a.address_id;

CREATE VIEW subscriptions AS
SELECT u.subscription_id,
       a.name AS address,
       a.kind,
       u.client_id,
       u.name AS subscription,
       u.group_no,
       u.bit,
       u.from_sequence,
       u.dispatched_to,
       u.selector,
       u.no_local,
       u.shared
FROM subscription AS u
JOIN address AS a ON a.address_id = u.address_id;

-- Whose a client id is: the user's who first made a durable subscription with it.

CREATE TABLE client_owner (
    client_id TEXT NOT NULL PRIMARY KEY, -- as subscription.client_id; one without a row belongs to whoever uses it first
    owner     TEXT NOT NULL,             -- name of the user, as it logs in
    CONSTRAINT client_owner_is_of_a_client CHECK (client_id <> ''),
    CONSTRAINT client_owner_is_somebody CHECK (owner <> '')
) STRICT, WITHOUT ROWID;

-- How far rows of the ring have grown, by block of slots. A row that a large body has stood in leaves its page to itself; once
-- enough of a block's have grown and small bodies are coming again, its slots are deleted and laid anew.

CREATE TABLE growth (
    block            INTEGER PRIMARY KEY, -- slot / 1024; one without a row has not grown
    grown            INTEGER NOT NULL,    -- large bodies that have stood in its slots since they were laid
    CONSTRAINT a_block_without_growth_has_no_row CHECK (grown > 0)
) STRICT;

-- How far the copies for a subscription that began in the past have come.

CREATE TABLE replay (
    subscription_id  INTEGER PRIMARY KEY, -- whom the copies are made for; the row stays as long as the subscription
    position         INTEGER NOT NULL,    -- first sequence that has not been copied, written with the copies
    finished         INTEGER NOT NULL,    -- 1 = all is copied: it owes what is published from then on
    CONSTRAINT replay_is_of_a_subscription FOREIGN KEY (subscription_id) REFERENCES subscription (subscription_id),
    CONSTRAINT position_is_not_negative CHECK (position >= 0),
    CONSTRAINT finished_is_0_or_1 CHECK (finished IN (0, 1))
) STRICT;

-- What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages.

CREATE TABLE setting (
    kind       TEXT    NOT NULL, -- user, rule, role, policy or job
    name       TEXT    NOT NULL, -- of a policy its pattern
    document   TEXT    NOT NULL, -- JSON; which fields it has is the kind's affair
    changed_by TEXT    NOT NULL, -- name of the user who set it last; empty = there are no users
    changed_at INTEGER NOT NULL, -- when
    CONSTRAINT setting_pk PRIMARY KEY (kind, name),
    CONSTRAINT setting_kind_is_known CHECK (kind IN ('user', 'rule', 'role', 'policy', 'job')),
    CONSTRAINT setting_has_a_name CHECK (name <> '')
) STRICT, WITHOUT ROWID;
