-- The whole schema as the migrations make it, for PostgreSQL 15 and newer.

CREATE SCHEMA ringtable;

-- The tables of Ringtable on PostgreSQL 15 and newer. Prose, growth and grants: ../../README.md

-- Who owns a shard ------------------------------------------------------------------------------------------------
-- These two tables never change their shape: brokers of different versions have to agree on who may migrate the rest.

CREATE TABLE ringtable.shard (
    shard_id       integer NOT NULL,
    epoch          bigint  NOT NULL,
    acquired_at    timestamptz NOT NULL,
    capacity       integer,
    gate           bigint  NOT NULL,
    dispatch_bound bigint  NOT NULL,
    next_id        bigint  NOT NULL,
    CONSTRAINT shard_pk PRIMARY KEY (shard_id),
    CONSTRAINT shard_capacity_is_whole_segments_of_blocks CHECK (capacity > 0 AND capacity % 8192 = 0),
    CONSTRAINT shard_gate_is_whole_blocks CHECK (gate >= 0 AND gate % 1024 = 0),
    CONSTRAINT shard_epoch_is_not_negative CHECK (epoch >= 0),
    CONSTRAINT shard_next_id_is_not_negative CHECK (next_id >= 0)
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.shard IS 'One row per ring: the row that every write locks and whose epoch it checks. Its shape never changes.';
COMMENT ON COLUMN ringtable.shard.shard_id IS 'Number of the ring';
COMMENT ON COLUMN ringtable.shard.epoch IS 'Rises by one with every owner; a write that names another epoch is refused';
COMMENT ON COLUMN ringtable.shard.acquired_at IS 'When its owner took it, by the clock of this server';
COMMENT ON COLUMN ringtable.shard.capacity IS 'Slots of the ring: slot = sequence mod capacity; NULL until the ring is laid';
COMMENT ON COLUMN ringtable.shard.gate IS 'Below it the ring has been cleared; what is still owed there is in the backlog';
COMMENT ON COLUMN ringtable.shard.dispatch_bound IS 'Highest sequence that may have been delivered to a subscription without a bound of its own; -1 = none';
COMMENT ON COLUMN ringtable.shard.next_id IS 'Lowest id never given to an address, a subscription or a producer';

CREATE TABLE ringtable.lease (
    shard_id    integer     NOT NULL,
    epoch       bigint      NOT NULL,
    node_id     text        NOT NULL,
    node        text        NOT NULL,
    renewed_at  timestamptz NOT NULL,
    lease_ms    bigint      NOT NULL,
    CONSTRAINT lease_pk PRIMARY KEY (shard_id),
    CONSTRAINT lease_shard_exists FOREIGN KEY (shard_id) REFERENCES ringtable.shard,
    CONSTRAINT lease_is_not_negative CHECK (lease_ms >= 0)
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.lease IS 'Which node owns a shard and until when. Apart from the owner row, so that renewing waits for no flush and a snapshot held open does not lengthen the chain of versions that flushes walk. Its shape never changes.';
COMMENT ON COLUMN ringtable.lease.shard_id IS 'Number of the ring';
COMMENT ON COLUMN ringtable.lease.epoch IS 'The epoch that this node was given';
COMMENT ON COLUMN ringtable.lease.node_id IS 'Id that the owner keeps in its data directory';
COMMENT ON COLUMN ringtable.lease.node IS 'For people: host and process of the owner';
COMMENT ON COLUMN ringtable.lease.renewed_at IS 'When the lease began anew, by the clock of this server';
COMMENT ON COLUMN ringtable.lease.lease_ms IS 'How long it runs from there, in milliseconds; 0 = resigned';

-- What can be published to and read from ---------------------------------------------------------------------------

CREATE TABLE ringtable.address (
    shard_id       integer NOT NULL,
    address_id     bigint  NOT NULL,
    name           text    COLLATE "C" NOT NULL,
    kind           text    NOT NULL,
    quota_messages bigint  NOT NULL,
    quota_bytes    bigint  NOT NULL,
    CONSTRAINT address_pk PRIMARY KEY (shard_id, address_id),
    CONSTRAINT address_name_is_unique UNIQUE (shard_id, name, kind),
    CONSTRAINT address_is_queue_or_topic CHECK (kind IN ('queue', 'topic'))
);

COMMENT ON TABLE ringtable.address IS 'A queue or a topic by name';
COMMENT ON COLUMN ringtable.address.shard_id IS 'The ring that holds its messages';
COMMENT ON COLUMN ringtable.address.address_id IS 'Never reused in its shard';
COMMENT ON COLUMN ringtable.address.name IS 'As publishers and subscribers write it';
COMMENT ON COLUMN ringtable.address.kind IS 'queue or topic';
COMMENT ON COLUMN ringtable.address.quota_messages IS 'Most messages owed on it';
COMMENT ON COLUMN ringtable.address.quota_bytes IS 'Most bytes owed on it';

CREATE TABLE ringtable.subscription (
    shard_id        integer  NOT NULL,
    subscription_id bigint   NOT NULL,
    address_id      bigint   NOT NULL,
    client_id       text     COLLATE "C" NOT NULL,
    name            text     COLLATE "C" NOT NULL,
    group_no        smallint NOT NULL,
    bit             smallint NOT NULL,
    from_sequence   bigint   NOT NULL,
    dispatched_to   bigint,
    selector        text,
    no_local        boolean  NOT NULL,
    shared          boolean  NOT NULL,
    CONSTRAINT subscription_pk PRIMARY KEY (shard_id, subscription_id),
    CONSTRAINT subscription_bit_is_held_once UNIQUE (shard_id, address_id, group_no, bit),
    CONSTRAINT subscription_address_exists FOREIGN KEY (shard_id, address_id) REFERENCES ringtable.address,
    CONSTRAINT subscription_bit_is_0_to_62 CHECK (bit BETWEEN 0 AND 62),
    CONSTRAINT subscription_group_is_not_negative CHECK (group_no >= 0)
);

COMMENT ON TABLE ringtable.subscription IS 'A named reader of an address; a queue has exactly one';
COMMENT ON COLUMN ringtable.subscription.shard_id IS 'Shard of its address';
COMMENT ON COLUMN ringtable.subscription.subscription_id IS 'Never reused in its shard';
COMMENT ON COLUMN ringtable.subscription.address_id IS 'The address that it reads';
COMMENT ON COLUMN ringtable.subscription.client_id IS 'JMS client id that owns it; empty for queues and global shared subscriptions';
COMMENT ON COLUMN ringtable.subscription.name IS 'Name within its client id; empty for the one subscription of a queue';
COMMENT ON COLUMN ringtable.subscription.group_no IS 'Which group of 63 on its address';
COMMENT ON COLUMN ringtable.subscription.bit IS 'Its bit in slot.pending and backlog.pending';
COMMENT ON COLUMN ringtable.subscription.from_sequence IS 'It owes no message below this';
COMMENT ON COLUMN ringtable.subscription.dispatched_to IS 'Highest sequence that may have been delivered to it; NULL = the bound of its shard applies';
COMMENT ON COLUMN ringtable.subscription.selector IS 'JMS selector; NULL = every message';
COMMENT ON COLUMN ringtable.subscription.no_local IS 'Whether it gets nothing that its own client published';
COMMENT ON COLUMN ringtable.subscription.shared IS 'Whether several links may read it at once';

-- The ring ---------------------------------------------------------------------------------------------------------
-- PostgreSQL writes a new version of a row that is updated, so a slot is not updated: a segment (an eighth of the ring
-- and its ledger) is emptied as a whole once the gate has passed it, and claims insert into the emptied one.

CREATE TABLE ringtable.segment (
    segment    smallint NOT NULL,
    shard_id   integer  NOT NULL,
    ordinal    bigint,
    summarized boolean  NOT NULL,
    CONSTRAINT segment_pk PRIMARY KEY (segment),
    CONSTRAINT segment_holds_one_stretch UNIQUE (shard_id, ordinal),
    CONSTRAINT segment_shard_exists FOREIGN KEY (shard_id) REFERENCES ringtable.shard
) WITH (fillfactor = 50);

COMMENT ON TABLE ringtable.segment IS 'The durable map from stretches of sequences to the tables slot_<segment> and settlement_<segment>';
COMMENT ON COLUMN ringtable.segment.segment IS 'Number of the tables slot_<segment> and settlement_<segment>';
COMMENT ON COLUMN ringtable.segment.shard_id IS 'The ring they belong to';
COMMENT ON COLUMN ringtable.segment.ordinal IS 'They hold the sequences from ordinal * (capacity / 8) to (ordinal + 1) * (capacity / 8) - 1; NULL = empty and free';
COMMENT ON COLUMN ringtable.segment.summarized IS 'It is full, and the index of its slots knows which pages hold which sequences';

CREATE TABLE ringtable.slot (
    segment         smallint    NOT NULL,
    group_no        smallint    NOT NULL,
    priority        smallint    NOT NULL,
    reference_count smallint    NOT NULL,
    sequence        bigint      NOT NULL,
    address_id      bigint      NOT NULL,
    pending         bigint      NOT NULL,
    published_at    timestamptz NOT NULL,
    expires_at      timestamptz,
    deliver_at      timestamptz,
    body_id         bigint,
    body_bytes      integer,
    body            bytea,
    -- Two rules and no more: each is read anew from the catalogue by every flush, 12 microseconds a time.
    CONSTRAINT slot_reference_count_is_bits_of_pending
        CHECK (reference_count > 0 AND reference_count = bit_count(pending::bit(64))),
    CONSTRAINT slot_body_is_here_or_in_overflow CHECK ((body IS NULL) = (body_id IS NOT NULL))
) PARTITION BY LIST (segment);

-- Bodies do not compress twice; they lie in the row as far as a page goes and in TOAST beyond.
ALTER TABLE ringtable.slot ALTER COLUMN body SET STORAGE EXTERNAL;

COMMENT ON TABLE ringtable.slot IS 'The ring: one row per message with gate <= sequence < next; other rows count for nothing. Slot number = sequence mod shard.capacity. Claims append in order of sequence, so a BRIN index finds them (a B-tree would cost 66 bytes of log and a quarter of the time per message). The four short columns stand first so that no byte is lost to alignment.';
COMMENT ON COLUMN ringtable.slot.segment IS 'The table that the row lies in';
COMMENT ON COLUMN ringtable.slot.group_no IS 'Which group of 63 subscriptions of its address the bits of pending belong to';
COMMENT ON COLUMN ringtable.slot.priority IS '0 to 9; 4 is normal';
COMMENT ON COLUMN ringtable.slot.reference_count IS 'How many owed the message when it was published';
COMMENT ON COLUMN ringtable.slot.sequence IS 'Number of the message in its shard';
COMMENT ON COLUMN ringtable.slot.address_id IS 'Where it was published';
COMMENT ON COLUMN ringtable.slot.pending IS 'The bits of those who owed it when it was published; what has been settled since is in settlement';
COMMENT ON COLUMN ringtable.slot.published_at IS 'When the broker took it';
COMMENT ON COLUMN ringtable.slot.expires_at IS 'NULL = never';
COMMENT ON COLUMN ringtable.slot.deliver_at IS 'Not before; NULL = at once';
COMMENT ON COLUMN ringtable.slot.body_id IS 'Its body in overflow; NULL = it is in this row';
COMMENT ON COLUMN ringtable.slot.body_bytes IS 'Length of a body in overflow; NULL = it is in this row';
COMMENT ON COLUMN ringtable.slot.body IS 'The encoded AMQP message as it came';

CREATE TABLE ringtable.settlement (
    segment smallint NOT NULL,
    bit     smallint NOT NULL,
    block   bigint   NOT NULL,
    settled bytea    NOT NULL,
    CONSTRAINT settlement_pk PRIMARY KEY (segment, block, bit),
    CONSTRAINT settlement_is_one_bit_per_sequence CHECK (octet_length(settled) = 128)
) PARTITION BY LIST (segment);

COMMENT ON TABLE ringtable.settlement IS 'The ledger of the ring: what has been settled, by blocks of 1,024 neighbouring sequences and bit. Blocks below gate / 1024 count for nothing.';
COMMENT ON COLUMN ringtable.settlement.segment IS 'The table that the row lies in';
COMMENT ON COLUMN ringtable.settlement.bit IS 'Who settled: a bit of slot.pending';
COMMENT ON COLUMN ringtable.settlement.block IS 'sequence / 1024';
COMMENT ON COLUMN ringtable.settlement.settled IS 'get_bit(settled, sequence % 1024) = 1: the bit has settled the message';

-- What the ring has passed ------------------------------------------------------------------------------------------

CREATE TABLE ringtable.backlog (
    shard_id        integer     NOT NULL,
    address_id      bigint      NOT NULL,
    sequence        bigint      NOT NULL,
    published_at    timestamptz NOT NULL,
    priority        smallint    NOT NULL,
    expires_at      timestamptz,
    deliver_at      timestamptz,
    group_no        smallint    NOT NULL,
    reference_count smallint    NOT NULL,
    pending         bigint      NOT NULL,
    body_id         bigint,
    body_bytes      integer     NOT NULL,
    body            bytea,
    CONSTRAINT backlog_pk PRIMARY KEY (shard_id, address_id, sequence),
    CONSTRAINT backlog_reference_count_is_bits_of_pending CHECK (reference_count = bit_count(pending::bit(64))),
    CONSTRAINT backlog_body_is_here_or_in_overflow CHECK ((body IS NULL) = (body_id IS NOT NULL)),
    CONSTRAINT backlog_moved_is_owed CHECK (pending > 0)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

ALTER TABLE ringtable.backlog ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX backlog_expiring ON ringtable.backlog (shard_id, address_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX backlog_delayed ON ringtable.backlog (shard_id, address_id, deliver_at) WHERE deliver_at IS NOT NULL;
CREATE INDEX backlog_in_overflow ON ringtable.backlog (shard_id, body_id) WHERE body_id IS NOT NULL;

COMMENT ON TABLE ringtable.backlog IS 'Messages that were still owed when the gate passed them; the columns of slot';
COMMENT ON COLUMN ringtable.backlog.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.backlog.address_id IS 'Where it was published';
COMMENT ON COLUMN ringtable.backlog.sequence IS 'Number of the message in its shard';
COMMENT ON COLUMN ringtable.backlog.published_at IS 'When the broker took it';
COMMENT ON COLUMN ringtable.backlog.priority IS '0 to 9; 4 is normal';
COMMENT ON COLUMN ringtable.backlog.expires_at IS 'NULL = never';
COMMENT ON COLUMN ringtable.backlog.deliver_at IS 'Not before; NULL = at once';
COMMENT ON COLUMN ringtable.backlog.group_no IS 'Which group of 63 subscriptions of its address the bits of pending belong to';
COMMENT ON COLUMN ringtable.backlog.reference_count IS 'How many owed the message when it was moved';
COMMENT ON COLUMN ringtable.backlog.pending IS 'The bits of those who owed it when it was moved; what has been settled since is in backlog_settlement';
COMMENT ON COLUMN ringtable.backlog.body_id IS 'Its body in overflow; NULL = it is in this row';
COMMENT ON COLUMN ringtable.backlog.body_bytes IS 'Length of the body wherever it lies';
COMMENT ON COLUMN ringtable.backlog.body IS 'The encoded AMQP message as it came';

CREATE TABLE ringtable.backlog_settlement (
    shard_id   integer  NOT NULL,
    address_id bigint   NOT NULL,
    block      bigint   NOT NULL,
    bit        smallint NOT NULL,
    settled    bytea    NOT NULL,
    CONSTRAINT backlog_settlement_pk PRIMARY KEY (shard_id, address_id, block, bit),
    CONSTRAINT backlog_settlement_is_one_bit_per_sequence CHECK (octet_length(settled) = 128)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

COMMENT ON TABLE ringtable.backlog_settlement IS 'The ledger of the backlog: what has been settled since the move, by address, block and bit';
COMMENT ON COLUMN ringtable.backlog_settlement.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.backlog_settlement.address_id IS 'Whose messages';
COMMENT ON COLUMN ringtable.backlog_settlement.block IS 'sequence / 1024';
COMMENT ON COLUMN ringtable.backlog_settlement.bit IS 'Who settled: a bit of backlog.pending';
COMMENT ON COLUMN ringtable.backlog_settlement.settled IS 'get_bit(settled, sequence % 1024) = 1: the bit has settled the message';

CREATE TABLE ringtable.backlog_summary (
    shard_id         integer NOT NULL,
    address_id       bigint  NOT NULL,
    first_sequence   bigint  NOT NULL,
    last_sequence    bigint  NOT NULL,
    messages         bigint  NOT NULL,
    bytes            bigint  NOT NULL,
    first_expires_at timestamptz,
    first_deliver_at timestamptz,
    CONSTRAINT backlog_summary_pk PRIMARY KEY (shard_id, address_id),
    CONSTRAINT backlog_summary_has_messages CHECK (messages > 0 AND bytes >= 0),
    CONSTRAINT backlog_summary_first_is_not_above_last CHECK (first_sequence <= last_sequence)
) WITH (fillfactor = 50);

COMMENT ON TABLE ringtable.backlog_summary IS 'One row per address that has a backlog, kept by reclaim and discard, so that recovery need not read the backlog';
COMMENT ON COLUMN ringtable.backlog_summary.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.backlog_summary.address_id IS 'Whose backlog';
COMMENT ON COLUMN ringtable.backlog_summary.first_sequence IS 'Lowest sequence in it';
COMMENT ON COLUMN ringtable.backlog_summary.last_sequence IS 'Highest sequence in it';
COMMENT ON COLUMN ringtable.backlog_summary.messages IS 'Rows in it';
COMMENT ON COLUMN ringtable.backlog_summary.bytes IS 'Their encoded length';
COMMENT ON COLUMN ringtable.backlog_summary.first_expires_at IS 'Earliest expiry; NULL = none expires';
COMMENT ON COLUMN ringtable.backlog_summary.first_deliver_at IS 'Earliest delivery time; NULL = none waits';

-- Failed deliveries and large bodies ---------------------------------------------------------------------------------

CREATE TABLE ringtable.redelivery (
    shard_id        integer NOT NULL,
    sequence        bigint  NOT NULL,
    subscription_id bigint  NOT NULL,
    count           integer NOT NULL,
    not_before      timestamptz,
    CONSTRAINT redelivery_pk PRIMARY KEY (shard_id, sequence, subscription_id),
    CONSTRAINT redelivery_count_begins_with_1 CHECK (count >= 1)
);

COMMENT ON TABLE ringtable.redelivery IS 'One row per message and subscription whose delivery has failed';
COMMENT ON COLUMN ringtable.redelivery.shard_id IS 'Shard of the message';
COMMENT ON COLUMN ringtable.redelivery.sequence IS 'The message';
COMMENT ON COLUMN ringtable.redelivery.subscription_id IS 'The subscription that did not take it';
COMMENT ON COLUMN ringtable.redelivery.count IS 'Failed deliveries so far; the crash of a broker is none';
COMMENT ON COLUMN ringtable.redelivery.not_before IS 'Not delivered again before; NULL = at once';

CREATE TABLE ringtable.overflow (
    shard_id integer NOT NULL,
    body_id  bigint  NOT NULL,
    chunk    integer NOT NULL,
    chunks   integer NOT NULL,
    data     bytea   NOT NULL,
    CONSTRAINT overflow_pk PRIMARY KEY (shard_id, body_id, chunk),
    CONSTRAINT overflow_chunk_is_below_chunks CHECK (chunk >= 0 AND chunk < chunks),
    CONSTRAINT overflow_chunk_is_at_most_1_mib CHECK (octet_length(data) <= 1048576)
);

ALTER TABLE ringtable.overflow ALTER COLUMN data SET STORAGE EXTERNAL;

COMMENT ON TABLE ringtable.overflow IS 'Bodies too large for a slot, in chunks, staged before their message is claimed';
COMMENT ON COLUMN ringtable.overflow.shard_id IS 'Shard of the message';
COMMENT ON COLUMN ringtable.overflow.body_id IS 'Never reused; named by slot.body_id or backlog.body_id once the message is claimed';
COMMENT ON COLUMN ringtable.overflow.chunk IS '0, 1, 2 ...';
COMMENT ON COLUMN ringtable.overflow.chunks IS 'How many chunks the body has';
COMMENT ON COLUMN ringtable.overflow.data IS 'At most 1 MiB of it';

-- What keeps a message from being stored twice ----------------------------------------------------------------------

CREATE TABLE ringtable.producer (
    shard_id    integer     NOT NULL,
    producer_id bigint      NOT NULL,
    address_id  bigint      NOT NULL,
    name        text        COLLATE "C" NOT NULL,
    incarnation bigint      NOT NULL,
    last_number bigint      NOT NULL,
    used_at     timestamptz NOT NULL,
    CONSTRAINT producer_pk PRIMARY KEY (shard_id, producer_id),
    CONSTRAINT producer_name_is_unique UNIQUE (shard_id, address_id, name),
    CONSTRAINT producer_address_exists FOREIGN KEY (shard_id, address_id) REFERENCES ringtable.address,
    CONSTRAINT producer_incarnation_begins_with_1 CHECK (incarnation >= 1),
    CONSTRAINT producer_last_number_is_not_negative CHECK (last_number >= 0)
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.producer IS 'Who publishes numbered messages to an address, and the number of the last one that is stored: written with it, by the same flush';
COMMENT ON COLUMN ringtable.producer.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.producer.producer_id IS 'Never reused in its shard';
COMMENT ON COLUMN ringtable.producer.address_id IS 'Where it publishes';
COMMENT ON COLUMN ringtable.producer.name IS 'The producer id that its application chose';
COMMENT ON COLUMN ringtable.producer.incarnation IS 'Rises whenever an application opens it anew: earlier ones are fenced';
COMMENT ON COLUMN ringtable.producer.last_number IS 'Number of its last message that is stored; 0 = none';
COMMENT ON COLUMN ringtable.producer.used_at IS 'When it was opened, or its last message was taken';

CREATE TABLE ringtable.duplicate_id (
    shard_id   integer NOT NULL,
    address_id bigint  NOT NULL,
    position   integer NOT NULL,
    ordinal    bigint  NOT NULL,
    id         bytea   NOT NULL,
    CONSTRAINT duplicate_id_pk PRIMARY KEY (shard_id, address_id, position),
    CONSTRAINT duplicate_id_is_1_to_400_bytes CHECK (octet_length(id) BETWEEN 1 AND 400),
    CONSTRAINT duplicate_id_position_is_not_negative CHECK (position >= 0 AND ordinal >= 0)
) WITH (fillfactor = 50);

COMMENT ON TABLE ringtable.duplicate_id IS 'The last ids (_AMQ_DUPL_ID) that messages of an address came with: a window whose oldest row is overwritten, written with their messages by the same flush';
COMMENT ON COLUMN ringtable.duplicate_id.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.duplicate_id.address_id IS 'Whose messages';
COMMENT ON COLUMN ringtable.duplicate_id.position IS '0, 1, 2 ... below commit.duplicate-ids';
COMMENT ON COLUMN ringtable.duplicate_id.ordinal IS 'Rises by one with every id of the address: the lowest one is the oldest';
COMMENT ON COLUMN ringtable.duplicate_id.id IS 'A string in UTF-8, or the bytes that the publisher gave';

-- For people ----------------------------------------------------------------------------------------------------------

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
FROM (SELECT g.shard_id, s.segment, s.sequence, s.address_id, s.group_no, s.pending, s.published_at,
             coalesce(s.body_bytes, octet_length(s.body)) AS body_bytes
      FROM ringtable.slot s
      JOIN ringtable.segment g ON g.segment = s.segment
      JOIN ringtable.shard h ON h.shard_id = g.shard_id
      WHERE s.sequence >= h.gate) m
JOIN ringtable.subscription u
    ON u.shard_id = m.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
       AND u.from_sequence <= m.sequence AND m.pending >> u.bit & 1 = 1
JOIN ringtable.address a ON a.shard_id = m.shard_id AND a.address_id = m.address_id
LEFT JOIN ringtable.settlement l ON l.segment = m.segment AND l.block = m.sequence / 1024 AND l.bit = u.bit
WHERE l.settled IS NULL OR get_bit(l.settled, m.sequence % 1024) = 0
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
FROM ringtable.backlog m
JOIN ringtable.subscription u
    ON u.shard_id = m.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
       AND u.from_sequence <= m.sequence AND m.pending >> u.bit & 1 = 1
JOIN ringtable.address a ON a.shard_id = m.shard_id AND a.address_id = m.address_id
LEFT JOIN ringtable.backlog_settlement l
    ON l.shard_id = m.shard_id AND l.address_id = m.address_id AND l.block = m.sequence / 1024 AND l.bit = u.bit
WHERE l.settled IS NULL OR get_bit(l.settled, m.sequence % 1024) = 0;

COMMENT ON VIEW ringtable.owed IS 'Who owes what, since when: one row per message and subscription';

CREATE VIEW ringtable.messages AS
SELECT m.shard_id,
       'ring' AS place,
       m.sequence,
       m.sequence % m.capacity AS slot,
       a.name AS address,
       m.published_at,
       m.priority,
       m.expires_at,
       m.deliver_at,
       m.body_bytes,
       m.reference_count AS references_at_publish,
       (SELECT count(*)
        FROM ringtable.subscription u
        LEFT JOIN ringtable.settlement l ON l.segment = m.segment AND l.block = m.sequence / 1024 AND l.bit = u.bit
        WHERE u.shard_id = m.shard_id
          AND u.address_id = m.address_id
          AND u.group_no = m.group_no
          AND u.from_sequence <= m.sequence
          AND m.pending >> u.bit & 1 = 1
          AND (l.settled IS NULL OR get_bit(l.settled, m.sequence % 1024) = 0)) AS reference_count
FROM (SELECT g.shard_id, h.capacity, s.segment, s.sequence, s.address_id, s.group_no, s.pending, s.published_at,
             s.priority, s.expires_at, s.deliver_at, s.reference_count,
             coalesce(s.body_bytes, octet_length(s.body)) AS body_bytes
      FROM ringtable.slot s
      JOIN ringtable.segment g ON g.segment = s.segment
      JOIN ringtable.shard h ON h.shard_id = g.shard_id
      WHERE s.sequence >= h.gate) m
LEFT JOIN ringtable.address a ON a.shard_id = m.shard_id AND a.address_id = m.address_id
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
       (SELECT count(*)
        FROM ringtable.subscription u
        LEFT JOIN ringtable.backlog_settlement l
            ON l.shard_id = m.shard_id AND l.address_id = m.address_id AND l.block = m.sequence / 1024
               AND l.bit = u.bit
        WHERE u.shard_id = m.shard_id
          AND u.address_id = m.address_id
          AND u.group_no = m.group_no
          AND u.from_sequence <= m.sequence
          AND m.pending >> u.bit & 1 = 1
          AND (l.settled IS NULL OR get_bit(l.settled, m.sequence % 1024) = 0))
FROM ringtable.backlog m
LEFT JOIN ringtable.address a ON a.shard_id = m.shard_id AND a.address_id = m.address_id;

COMMENT ON VIEW ringtable.messages IS 'Where each message stands, and how many owe it now';

-- The verbs that are one call each, so that their commit travels in the same round trip and a broker that is paused
-- between two statements holds no lock. They raise RT015 (fenced), RT016 (a relation that must hold does not), RT017
-- (another capacity) and RT018 (the segments are not prepared).

-- Locks the owner row until the end of the transaction and checks the caller's epoch.
CREATE FUNCTION ringtable.lock_owner(p_shard_id integer, p_epoch bigint, OUT o_gate bigint, OUT o_capacity bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch, gate, capacity
    INTO v_epoch, o_gate, o_capacity
    FROM ringtable.shard
    WHERE shard_id = p_shard_id
    FOR NO KEY UPDATE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.lock_owner IS 'Locks the owner row until the end of the transaction and checks the epoch of the caller';

-- One batch: claims, settlements, failed deliveries and bounds become durable together. Arrays of facts that most messages do
-- not have (priority, expires_at, deliver_at, group_no, body_id, body_bytes) may be empty: all have the usual value.
CREATE FUNCTION ringtable.flush(
    p_shard_id integer,
    p_epoch bigint,
    p_gate bigint,
    p_dispatch_bound bigint,
    p_first_sequence bigint,
    p_claims integer,
    p_address_id bigint[],
    p_pending bigint[],
    p_published_at timestamptz[],
    p_priority smallint[],
    p_expires_at timestamptz[],
    p_deliver_at timestamptz[],
    p_group_no smallint[],
    p_body_id bigint[],
    p_body_bytes integer[],
    p_body bytea[],
    p_block bigint[],
    p_bit smallint[],
    p_settled bytea[],
    p_backlog_address_id bigint[],
    p_backlog_block bigint[],
    p_backlog_bit smallint[],
    p_backlog_settled bytea[],
    p_redelivery_sequence bigint[],
    p_redelivery_subscription_id bigint[],
    p_redelivery_count integer[],
    p_redelivery_not_before timestamptz[],
    p_dispatched_subscription_id bigint[],
    p_dispatched_to bigint[])
RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_epoch      bigint;
    v_gate       bigint;
    v_capacity   bigint;
    v_size       bigint;
    v_ordinal    bigint;
    v_segments   smallint[];
    v_unprepared bigint;
    v_changed    bigint;
BEGIN
    -- A statement of its own: what follows sees everything that was committed before the lock was given.
    SELECT epoch, gate, capacity, capacity / 8
    INTO v_epoch, v_gate, v_capacity, v_size
    FROM ringtable.shard
    WHERE shard_id = p_shard_id
    FOR NO KEY UPDATE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    IF v_gate <> p_gate THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('gate %s is not the gate %s of shard %s', p_gate, v_gate, p_shard_id);
    END IF;

    -- The segments that hold gate <= sequence < gate + capacity, in order, without a gap.
    SELECT v_gate / v_size, array_agg(segment ORDER BY ordinal)
    INTO v_ordinal, v_segments
    FROM ringtable.segment
    WHERE shard_id = p_shard_id AND ordinal >= v_gate / v_size;

    IF p_claims > 0 THEN
        IF p_first_sequence < v_gate OR p_first_sequence + p_claims > v_gate + v_capacity THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('sequences %s to %s are not between gate %s and gate + capacity %s', p_first_sequence,
                    p_first_sequence + p_claims - 1, v_gate, v_gate + v_capacity);
        END IF;
        v_unprepared := (p_first_sequence + p_claims - 1) / v_size;
        IF v_unprepared >= v_ordinal + coalesce(cardinality(v_segments), 0) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT018',
                MESSAGE = format('no segment is prepared for ordinal %s of shard %s', v_unprepared, p_shard_id);
        END IF;
        INSERT INTO ringtable.slot (segment, group_no, priority, reference_count, sequence, address_id, pending,
                                    published_at, expires_at, deliver_at, body_id, body_bytes, body)
        SELECT v_segments[1 + c.sequence / v_size - v_ordinal], coalesce(c.group_no, 0::smallint),
               coalesce(c.priority, 4::smallint), bit_count(c.pending::bit(64)), c.sequence, c.address_id, c.pending,
               c.published_at, c.expires_at, c.deliver_at, c.body_id, c.body_bytes, c.body
        FROM (SELECT generate_series(p_first_sequence, p_first_sequence + p_claims - 1) AS sequence,
                     unnest(p_address_id) AS address_id,
                     unnest(p_pending) AS pending,
                     unnest(p_published_at) AS published_at,
                     unnest(p_priority) AS priority,
                     unnest(p_expires_at) AS expires_at,
                     unnest(p_deliver_at) AS deliver_at,
                     unnest(p_group_no) AS group_no,
                     unnest(p_body_id) AS body_id,
                     unnest(p_body_bytes) AS body_bytes,
                     unnest(p_body) AS body) AS c;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        IF v_changed <> p_claims THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('slot: %s rows changed where %s must', v_changed, p_claims);
        END IF;
    END IF;

    IF cardinality(p_block) > 0 THEN
        INSERT INTO ringtable.settlement (segment, bit, block, settled)
        SELECT v_segments[1 + s.block * 1024 / v_size - v_ordinal], s.bit, s.block, s.settled
        FROM (SELECT unnest(p_block) AS block, unnest(p_bit) AS bit, unnest(p_settled) AS settled) AS s
        WHERE s.block >= v_gate / 1024 AND s.block * 1024 / v_size < v_ordinal + cardinality(v_segments)
        ON CONFLICT (segment, block, bit) DO UPDATE SET settled = excluded.settled;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        IF v_changed <> cardinality(p_block) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('settlement: %s rows changed where %s must: blocks %s, gate %s', v_changed,
                    cardinality(p_block), p_block, v_gate);
        END IF;
    END IF;

    IF cardinality(p_backlog_block) > 0 THEN
        INSERT INTO ringtable.backlog_settlement (shard_id, address_id, block, bit, settled)
        SELECT p_shard_id, s.address_id, s.block, s.bit, s.settled
        FROM unnest(p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled)
                 AS s (address_id, block, bit, settled)
        WHERE s.block < v_gate / 1024
        ON CONFLICT (shard_id, address_id, block, bit) DO UPDATE SET settled = excluded.settled;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        IF v_changed <> cardinality(p_backlog_block) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('backlog_settlement: %s rows changed where %s must (gate %s)', v_changed,
                    cardinality(p_backlog_block), v_gate);
        END IF;
    END IF;

    IF cardinality(p_redelivery_sequence) > 0 THEN
        DELETE FROM ringtable.redelivery AS r
        USING unnest(p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count)
                  AS f (sequence, subscription_id, count)
        WHERE r.shard_id = p_shard_id
          AND r.sequence = f.sequence
          AND r.subscription_id = f.subscription_id
          AND f.count = 0;
        INSERT INTO ringtable.redelivery (shard_id, sequence, subscription_id, count, not_before)
        SELECT p_shard_id, f.sequence, f.subscription_id, f.count, f.not_before
        FROM unnest(p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before)
                 AS f (sequence, subscription_id, count, not_before)
        WHERE f.count > 0
        ON CONFLICT (shard_id, sequence, subscription_id)
            DO UPDATE SET count = excluded.count, not_before = excluded.not_before;
    END IF;

    IF cardinality(p_dispatched_subscription_id) > 0 THEN
        -- A subscription that has gone meanwhile is passed over: nobody asks for its bound any more.
        UPDATE ringtable.subscription AS s
        SET dispatched_to = nullif(d.dispatched_to, -1)
        FROM unnest(p_dispatched_subscription_id, p_dispatched_to) AS d (subscription_id, dispatched_to)
        WHERE s.shard_id = p_shard_id AND s.subscription_id = d.subscription_id;
    END IF;

    IF p_dispatch_bound >= 0 THEN
        UPDATE ringtable.shard SET dispatch_bound = p_dispatch_bound WHERE shard_id = p_shard_id;
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush IS 'Makes one batch of claims and settlements durable; called once per batch, commit included';

-- Gives the shard its ring, once in its life, or checks that it has the capacity the caller wants.
CREATE FUNCTION ringtable.lay_ring(p_shard_id integer, p_epoch bigint, p_capacity bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_gate     bigint;
    v_capacity bigint;
BEGIN
    SELECT o_gate, o_capacity INTO v_gate, v_capacity FROM ringtable.lock_owner(p_shard_id, p_epoch);
    IF v_capacity IS NULL THEN
        UPDATE ringtable.shard SET capacity = p_capacity WHERE shard_id = p_shard_id;
    ELSIF v_capacity <> p_capacity THEN
        RAISE EXCEPTION USING ERRCODE = 'RT017',
            MESSAGE = format('ring.capacity=%s is not the capacity %s that the ring of shard %s was laid with',
                p_capacity, v_capacity, p_shard_id);
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.lay_ring IS 'Gives the shard its ring, once in its life, or checks its capacity';

-- Adds an empty segment: a table of slots and one of settlements that nobody else has ever seen.
CREATE FUNCTION ringtable.add_segment(p_shard_id integer) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    v_segment smallint;
BEGIN
    -- Numbers are shared by all shards: a segment belongs to one of them for ever.
    LOCK TABLE ringtable.segment IN SHARE ROW EXCLUSIVE MODE;
    SELECT coalesce(max(segment), 0) + 1 INTO v_segment FROM ringtable.segment;
    -- Vacuum has nothing to do in a segment, and its lock would be in the way of the one that empties it. Attaching,
    -- unlike CREATE TABLE ... PARTITION OF, waits for no reader of the ring.
    EXECUTE format('CREATE TABLE ringtable.slot_%s (LIKE ringtable.slot INCLUDING STORAGE INCLUDING CONSTRAINTS)'
        ' WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false, toast_tuple_target = 8160)', v_segment);
    EXECUTE format('CREATE INDEX slot_%s_brin ON ringtable.slot_%s USING brin (sequence) WITH (pages_per_range = 16)',
        v_segment, v_segment);
    EXECUTE format('ALTER TABLE ringtable.slot ATTACH PARTITION ringtable.slot_%s FOR VALUES IN (%s)', v_segment,
        v_segment);
    EXECUTE format('CREATE TABLE ringtable.settlement_%s'
        ' (LIKE ringtable.settlement INCLUDING STORAGE INCLUDING CONSTRAINTS INCLUDING INDEXES)'
        ' WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false, fillfactor = 50)', v_segment);
    EXECUTE format('ALTER TABLE ringtable.settlement ATTACH PARTITION ringtable.settlement_%s FOR VALUES IN (%s)',
        v_segment, v_segment);
    INSERT INTO ringtable.segment (segment, shard_id, ordinal, summarized) VALUES (v_segment, p_shard_id, NULL, false);
    RETURN v_segment;
END
$$;

COMMENT ON FUNCTION ringtable.add_segment IS 'Adds an empty segment to the ring: when it is laid, and when a reader holds one that should be emptied';

-- Empties at most one segment that the durable gate has passed and sees to it that every sequence below gate + capacity
-- has its segment. A call of its own after the gate was raised, made again until there is nothing left to do.
-- Answers whether it should be called again.
CREATE FUNCTION ringtable.prepare_segments(p_shard_id integer, p_epoch bigint, p_next bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_gate     bigint;
    v_capacity bigint;
    v_size     bigint;
    v_ordinal  bigint;
    v_segment  smallint;
    v_emptied  boolean := false;
BEGIN
    SELECT o_gate, o_capacity, o_capacity / 8
    INTO v_gate, v_capacity, v_size
    FROM ringtable.lock_owner(p_shard_id, p_epoch);

    FOR v_segment IN
        SELECT segment
        FROM ringtable.segment
        WHERE shard_id = p_shard_id AND (ordinal + 1) * v_size <= v_gate
        ORDER BY ordinal
    LOOP
        BEGIN
            -- Waits for no reader: the segment stays as it is, and another one takes its place in the ring.
            EXECUTE format('LOCK TABLE ringtable.slot_%s, ringtable.settlement_%s IN ACCESS EXCLUSIVE MODE NOWAIT',
                v_segment, v_segment);
            EXECUTE format('TRUNCATE TABLE ringtable.slot_%s, ringtable.settlement_%s', v_segment, v_segment);
            UPDATE ringtable.segment SET ordinal = NULL, summarized = false WHERE segment = v_segment;
            v_emptied := true;
        EXCEPTION
            WHEN lock_not_available THEN
                v_emptied := false;
        END;
        EXIT WHEN v_emptied;
    END LOOP;

    FOR v_ordinal IN
        SELECT o.ordinal
        FROM generate_series(v_gate / v_size, (v_gate + v_capacity - 1) / v_size) AS o (ordinal)
        WHERE NOT EXISTS (SELECT FROM ringtable.segment AS g WHERE g.shard_id = p_shard_id AND g.ordinal = o.ordinal)
        ORDER BY o.ordinal
    LOOP
        SELECT min(segment) INTO v_segment FROM ringtable.segment WHERE shard_id = p_shard_id AND ordinal IS NULL;
        IF v_segment IS NULL THEN
            v_segment := ringtable.add_segment(p_shard_id);
        END IF;
        UPDATE ringtable.segment SET ordinal = v_ordinal WHERE segment = v_segment;
    END LOOP;

    -- Segments that no claim will touch again tell their index which pages hold which sequences.
    FOR v_segment IN
        SELECT segment
        FROM ringtable.segment
        WHERE shard_id = p_shard_id AND NOT summarized AND (ordinal + 1) * v_size <= p_next AND ordinal >= v_gate / v_size
    LOOP
        BEGIN
            EXECUTE format('LOCK TABLE ringtable.slot_%s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', v_segment);
            PERFORM brin_summarize_new_values(format('ringtable.slot_%s_brin', v_segment)::regclass);
            UPDATE ringtable.segment SET summarized = true WHERE segment = v_segment;
        EXCEPTION
            WHEN lock_not_available THEN
                NULL; -- a DBA is at work in it; until the next time its pages are read one and all
        END;
    END LOOP;
    RETURN v_emptied;
END
$$;

COMMENT ON FUNCTION ringtable.prepare_segments IS 'Empties one segment that the durable gate has passed and gives every sequence below gate + capacity a segment';

-- Copies into the backlog what live subscriptions still owe in [p_gate, p_new_gate) and raises the gate.
CREATE FUNCTION ringtable.reclaim(
    p_shard_id integer,
    p_epoch bigint,
    p_gate bigint,
    p_new_gate bigint,
    p_owed_expected bigint)
RETURNS TABLE (
    address_id bigint,
    first_sequence bigint,
    last_sequence bigint,
    messages bigint,
    bytes bigint,
    first_expires_at bigint,
    first_deliver_at bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan -- so that only the segments of the stretch are locked and read
SET enable_nestloop = off -- nobody analyses a segment: it is always taken for small, and joined row by row
AS $$
#variable_conflict use_column
DECLARE
    v_gate       bigint;
    v_capacity   bigint;
    v_size       bigint;
    v_segments   smallint[];
    v_rows       bigint;
    v_references bigint;
    v_settled    bigint;
    v_moved      bigint := 0;
    v_grown      record;
BEGIN
    SELECT o_gate, o_capacity, o_capacity / 8
    INTO v_gate, v_capacity, v_size
    FROM ringtable.lock_owner(p_shard_id, p_epoch);
    IF v_gate <> p_gate OR p_new_gate <= p_gate OR p_new_gate % 1024 <> 0 OR p_new_gate > p_gate + v_size THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('gate %s of shard %s cannot be raised from %s to %s: whole blocks, at most %s sequences',
                v_gate, p_shard_id, p_gate, p_new_gate, v_size);
    END IF;
    SELECT array_agg(segment)
    INTO v_segments
    FROM ringtable.segment
    WHERE shard_id = p_shard_id AND ordinal BETWEEN p_gate / v_size AND (p_new_gate - 1) / v_size;

    SELECT count(*), coalesce(sum(s.reference_count), 0)
    INTO v_rows, v_references
    FROM ringtable.slot AS s
    WHERE s.segment = ANY (v_segments) AND s.sequence >= p_gate AND s.sequence < p_new_gate;
    IF v_rows <> p_new_gate - p_gate THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('the ring of shard %s holds %s messages from %s to %s where it must hold %s', p_shard_id,
                v_rows, p_gate, p_new_gate - 1, p_new_gate - p_gate);
    END IF;
    SELECT coalesce(sum(bit_count(l.settled)), 0)
    INTO v_settled
    FROM ringtable.settlement AS l
    WHERE l.segment = ANY (v_segments) AND l.block >= p_gate / 1024 AND l.block < p_new_gate / 1024;

    -- As many settlements as references: nothing is owed, which is the rule. Else message by message.
    IF v_references <> v_settled OR p_owed_expected > 0 THEN
        FOR v_grown IN
            WITH owed AS (
                SELECT s.sequence, bit_or(1::bigint << u.bit) AS pending
                FROM ringtable.slot AS s
                JOIN ringtable.subscription AS u
                    ON u.shard_id = p_shard_id AND u.address_id = s.address_id AND u.group_no = s.group_no
                       AND u.from_sequence <= s.sequence AND s.pending >> u.bit & 1 = 1
                LEFT JOIN ringtable.settlement AS l
                    ON l.segment = ANY (v_segments) AND l.block = s.sequence / 1024 AND l.bit = u.bit
                WHERE s.segment = ANY (v_segments)
                  AND s.sequence >= p_gate
                  AND s.sequence < p_new_gate
                  AND (l.settled IS NULL OR get_bit(l.settled, s.sequence % 1024) = 0)
                GROUP BY s.sequence),
            moved AS (
                INSERT INTO ringtable.backlog AS b (shard_id, address_id, sequence, published_at, priority, expires_at,
                        deliver_at, group_no, reference_count, pending, body_id, body_bytes, body)
                SELECT p_shard_id, s.address_id, s.sequence, s.published_at, s.priority, s.expires_at, s.deliver_at,
                       s.group_no, bit_count(o.pending::bit(64)), o.pending, s.body_id,
                       coalesce(s.body_bytes, octet_length(s.body)), s.body
                FROM owed AS o
                JOIN ringtable.slot AS s ON s.sequence = o.sequence
                WHERE s.segment = ANY (v_segments) AND s.sequence >= p_gate AND s.sequence < p_new_gate
                RETURNING b.address_id, b.sequence, b.body_bytes, b.expires_at, b.deliver_at),
            gained AS (
                SELECT m.address_id, min(m.sequence) AS first_sequence, max(m.sequence) AS last_sequence,
                       count(*) AS messages, sum(m.body_bytes) AS bytes, min(m.expires_at) AS first_expires_at,
                       min(m.deliver_at) AS first_deliver_at
                FROM moved AS m
                GROUP BY m.address_id),
            grown AS (
                INSERT INTO ringtable.backlog_summary AS b (shard_id, address_id, first_sequence, last_sequence,
                        messages, bytes, first_expires_at, first_deliver_at)
                SELECT p_shard_id, g.address_id, g.first_sequence, g.last_sequence, g.messages, g.bytes,
                       g.first_expires_at, g.first_deliver_at
                FROM gained AS g
                ON CONFLICT (shard_id, address_id) DO UPDATE
                    SET last_sequence = excluded.last_sequence,
                        messages = b.messages + excluded.messages,
                        bytes = b.bytes + excluded.bytes,
                        first_expires_at = least(b.first_expires_at, excluded.first_expires_at),
                        first_deliver_at = least(b.first_deliver_at, excluded.first_deliver_at)
                RETURNING b.*)
            SELECT w.address_id, w.first_sequence, w.last_sequence, w.messages, w.bytes,
                   ringtable.ms(w.first_expires_at) AS first_expires_at,
                   ringtable.ms(w.first_deliver_at) AS first_deliver_at, g.messages AS moved
            FROM grown AS w
            JOIN gained AS g ON g.address_id = w.address_id
        LOOP
            v_moved := v_moved + v_grown.moved;
            address_id := v_grown.address_id;
            first_sequence := v_grown.first_sequence;
            last_sequence := v_grown.last_sequence;
            messages := v_grown.messages;
            bytes := v_grown.bytes;
            first_expires_at := v_grown.first_expires_at;
            first_deliver_at := v_grown.first_deliver_at;
            RETURN NEXT;
        END LOOP;
    END IF;
    IF v_moved <> p_owed_expected THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('the tables say that %s messages from %s to %s are still owed, the caller that %s are',
                v_moved, p_gate, p_new_gate - 1, p_owed_expected);
    END IF;
    UPDATE ringtable.shard SET gate = p_new_gate WHERE shard_id = p_shard_id;
END
$$;

COMMENT ON FUNCTION ringtable.reclaim IS 'Moves what is still owed in a stretch of the ring to the backlog and raises the gate';

-- Deletes backlog rows of an address that nobody owes any more. Answers the summary of the address as it is now.
CREATE FUNCTION ringtable.discard(
    p_shard_id integer,
    p_epoch bigint,
    p_address_id bigint,
    p_from bigint,
    p_to bigint)
RETURNS TABLE (
    address_id bigint,
    first_sequence bigint,
    last_sequence bigint,
    messages bigint,
    bytes bigint,
    first_expires_at bigint,
    first_deliver_at bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
    v_deleted bigint;
    v_bytes   bigint;
    v_left    bigint;
BEGIN
    PERFORM ringtable.lock_owner(p_shard_id, p_epoch);
    WITH gone AS (
        DELETE FROM ringtable.backlog AS b
        WHERE b.shard_id = p_shard_id
          AND b.address_id = p_address_id
          AND b.sequence >= p_from
          AND b.sequence < p_to
          AND NOT EXISTS (
              SELECT
              FROM ringtable.subscription AS u
              LEFT JOIN ringtable.backlog_settlement AS l
                  ON l.shard_id = p_shard_id AND l.address_id = p_address_id AND l.block = b.sequence / 1024
                     AND l.bit = u.bit
              WHERE u.shard_id = p_shard_id
                AND u.address_id = p_address_id
                AND u.group_no = b.group_no
                AND u.from_sequence <= b.sequence
                AND b.pending >> u.bit & 1 = 1
                AND (l.settled IS NULL OR get_bit(l.settled, b.sequence % 1024) = 0))
        RETURNING b.body_bytes)
    SELECT count(*), coalesce(sum(g.body_bytes), 0) INTO v_deleted, v_bytes FROM gone AS g;

    DELETE FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = p_shard_id
      AND l.address_id = p_address_id
      AND l.block BETWEEN p_from / 1024 AND (p_to - 1) / 1024
      AND NOT EXISTS (
          SELECT
          FROM ringtable.backlog AS b
          WHERE b.shard_id = p_shard_id
            AND b.address_id = p_address_id
            AND b.sequence >= l.block * 1024
            AND b.sequence < l.block * 1024 + 1024);

    SELECT s.messages - v_deleted
    INTO v_left
    FROM ringtable.backlog_summary AS s
    WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
    IF v_left < 0 OR (v_left IS NULL AND v_deleted > 0) THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('%s messages in the backlog of address %s are over, its summary has fewer', v_deleted,
                p_address_id);
    END IF;
    IF v_left = 0 THEN
        DELETE FROM ringtable.backlog_summary AS s WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
    ELSIF v_deleted > 0 THEN
        -- The old bounds spare a walk over what earlier calls deleted and vacuum has not yet removed.
        UPDATE ringtable.backlog_summary AS s
        SET messages = v_left,
            bytes = s.bytes - v_bytes,
            first_sequence = (SELECT min(b.sequence)
                              FROM ringtable.backlog AS b
                              WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                                AND b.sequence >= s.first_sequence),
            last_sequence = (SELECT max(b.sequence)
                             FROM ringtable.backlog AS b
                             WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                               AND b.sequence <= s.last_sequence),
            first_expires_at = (SELECT min(b.expires_at)
                                FROM ringtable.backlog AS b
                                WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                                  AND b.expires_at IS NOT NULL),
            first_deliver_at = (SELECT min(b.deliver_at)
                                FROM ringtable.backlog AS b
                                WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                                  AND b.deliver_at IS NOT NULL)
        WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
    END IF;

    RETURN QUERY
    SELECT s.address_id, s.first_sequence, s.last_sequence, s.messages, s.bytes, ringtable.ms(s.first_expires_at),
           ringtable.ms(s.first_deliver_at)
    FROM ringtable.backlog_summary AS s
    WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
END
$$;

COMMENT ON FUNCTION ringtable.discard IS 'Deletes backlog rows of an address that nobody owes any more';

-- Stores a large body. The weak lock lets flushes go on and makes a new owner wait: a former one stages nothing.
CREATE FUNCTION ringtable.stage(p_shard_id integer, p_epoch bigint, p_body_id bigint, p_data bytea[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch INTO v_epoch FROM ringtable.shard WHERE shard_id = p_shard_id FOR KEY SHARE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    INSERT INTO ringtable.overflow (shard_id, body_id, chunk, chunks, data)
    SELECT p_shard_id, p_body_id, c.ordinality - 1, cardinality(p_data), c.data
    FROM unnest(p_data) WITH ORDINALITY AS c (data, ordinality);
END
$$;

COMMENT ON FUNCTION ringtable.stage IS 'Stores a large body before the flush that claims its message';

-- Deletes bodies that nobody owes any more.
CREATE FUNCTION ringtable.unstage(p_shard_id integer, p_epoch bigint, p_body_ids bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch INTO v_epoch FROM ringtable.shard WHERE shard_id = p_shard_id FOR KEY SHARE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    DELETE FROM ringtable.overflow WHERE shard_id = p_shard_id AND body_id = ANY (p_body_ids);
END
$$;

COMMENT ON FUNCTION ringtable.unstage IS 'Deletes bodies in overflow';

-- Instants as the broker counts them: milliseconds since 1970, 0 for none. Exact: a double holds them to the microsecond.
CREATE FUNCTION ringtable.ms(p_instant timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((date_part('epoch', p_instant) * 1000)::bigint, 0);

COMMENT ON FUNCTION ringtable.ms IS 'Milliseconds since 1970-01-01 UTC; 0 for NULL';

-- Messages of the ring by sequence, in order; pending holds what the ledger says is still owed. Those that the gate has
-- passed are left out.
CREATE FUNCTION ringtable.read_ring(p_shard_id integer, p_sequences bigint[])
RETURNS TABLE (
    sequence bigint,
    address_id bigint,
    published_at bigint,
    priority integer,
    expires_at bigint,
    deliver_at bigint,
    group_no integer,
    pending bigint,
    body_id bigint,
    body_bytes integer,
    body bytea)
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan -- so that only the segments in question are locked and read
SET enable_seqscan = off -- nobody analyses a segment: its size says nothing about how few pages are wanted
AS $$
#variable_conflict use_column
DECLARE
    v_part record;
BEGIN
    FOR v_part IN
        SELECT g.segment, h.gate, min(q.sequence) AS first, max(q.sequence) AS last,
               array_agg(q.sequence) AS sequences
        FROM unnest(p_sequences) AS q (sequence)
        JOIN ringtable.shard AS h ON h.shard_id = p_shard_id
        JOIN ringtable.segment AS g ON g.shard_id = p_shard_id AND g.ordinal = q.sequence / (h.capacity / 8)
        WHERE q.sequence >= h.gate
        GROUP BY g.segment, h.gate
        ORDER BY first
    LOOP
        RETURN QUERY
        SELECT s.sequence, s.address_id, ringtable.ms(s.published_at), s.priority::integer, ringtable.ms(s.expires_at),
               ringtable.ms(s.deliver_at), s.group_no::integer,
               s.pending & ~coalesce((SELECT bit_or(1::bigint << l.bit)
                                      FROM ringtable.settlement AS l
                                      WHERE l.segment = v_part.segment
                                        AND l.block = s.sequence / 1024
                                        AND get_bit(l.settled, s.sequence % 1024) = 1), 0),
               coalesce(s.body_id, 0), coalesce(s.body_bytes, octet_length(s.body)), s.body
        FROM ringtable.slot AS s
        WHERE s.segment = v_part.segment
          AND s.sequence BETWEEN v_part.first AND v_part.last
          AND s.sequence + 0 = ANY (v_part.sequences) -- + 0: a BRIN index would be searched once for each
        ORDER BY s.sequence;
    END LOOP;
END
$$;

COMMENT ON FUNCTION ringtable.read_ring IS 'Messages of the ring by sequence, with what is still owed';

-- Messages of an address in the backlog that the bit still owes, in order, until so many messages or bytes are reached.
CREATE FUNCTION ringtable.read_backlog(
    p_shard_id integer,
    p_address_id bigint,
    p_group_no integer,
    p_bit integer,
    p_after bigint,
    p_messages_max integer,
    p_bytes_max bigint)
RETURNS TABLE (
    sequence bigint,
    address_id bigint,
    published_at bigint,
    priority integer,
    expires_at bigint,
    deliver_at bigint,
    group_no integer,
    pending bigint,
    body_id bigint,
    body_bytes integer,
    body bytea)
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
    v_bytes    bigint := 0;
BEGIN
    FOR sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes, body IN
        SELECT b.sequence, b.address_id, ringtable.ms(b.published_at), b.priority, ringtable.ms(b.expires_at),
               ringtable.ms(b.deliver_at), b.group_no,
               b.pending & ~coalesce((SELECT bit_or(1::bigint << l.bit)
                                      FROM ringtable.backlog_settlement AS l
                                      WHERE l.shard_id = p_shard_id
                                        AND l.address_id = p_address_id
                                        AND l.block = b.sequence / 1024
                                        AND get_bit(l.settled, b.sequence % 1024) = 1), 0),
               coalesce(b.body_id, 0), b.body_bytes, b.body
        FROM ringtable.backlog AS b
        WHERE b.shard_id = p_shard_id
          AND b.address_id = p_address_id
          AND b.sequence > p_after
          AND b.group_no = p_group_no
          AND b.pending >> p_bit & 1 = 1
          AND NOT EXISTS (
              SELECT
              FROM ringtable.backlog_settlement AS l
              WHERE l.shard_id = p_shard_id
                AND l.address_id = p_address_id
                AND l.block = b.sequence / 1024
                AND l.bit = p_bit
                AND get_bit(l.settled, b.sequence % 1024) = 1)
        ORDER BY b.sequence
        LIMIT p_messages_max
    LOOP
        RETURN NEXT;
        v_bytes := v_bytes + body_bytes;
        EXIT WHEN v_bytes >= p_bytes_max;
    END LOOP;
END
$$;

COMMENT ON FUNCTION ringtable.read_backlog IS 'Messages of an address in the backlog that a bit still owes';

-- Views for people, beside owed and messages: what can be published to, and who reads it.

CREATE VIEW ringtable.addresses AS
SELECT a.shard_id,
       a.address_id,
       a.name AS address,
       a.kind,
       (SELECT count(*)
        FROM ringtable.subscription AS u
        WHERE u.shard_id = a.shard_id AND u.address_id = a.address_id) AS subscriptions,
       coalesce(b.messages, 0) AS backlog_messages,
       coalesce(b.bytes, 0) AS backlog_bytes,
       a.quota_messages,
       a.quota_bytes
FROM ringtable.address AS a
LEFT JOIN ringtable.backlog_summary AS b ON b.shard_id = a.shard_id AND b.address_id = a.address_id;

COMMENT ON VIEW ringtable.addresses IS 'What can be published to, how many read it, and what of it lies in the backlog';

CREATE VIEW ringtable.subscriptions AS
SELECT u.shard_id,
       u.subscription_id,
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
FROM ringtable.subscription AS u
JOIN ringtable.address AS a ON a.shard_id = u.shard_id AND a.address_id = u.address_id;

COMMENT ON VIEW ringtable.subscriptions IS 'Who reads what';

-- The inbox: what applications publish and settle inside their own transactions. The broker takes what is committed over into
-- the ring and its ledger, and deletes exactly those rows in the flush that does so.

CREATE TABLE ringtable.inbox (
    shard_id        integer     NOT NULL,
    inbox_id        bigint      GENERATED ALWAYS AS IDENTITY (CACHE 1),
    content         text        NOT NULL,
    address         text        COLLATE "C",
    kind            text,
    body            bytea,
    properties      jsonb,
    subscription_id bigint,
    sequence        bigint,
    laid_down_at    timestamptz NOT NULL,
    CONSTRAINT inbox_pk PRIMARY KEY (shard_id, inbox_id),
    CONSTRAINT inbox_content_is_text_bytes_or_settlement CHECK (content IN ('text', 'bytes', 'settlement')),
    CONSTRAINT inbox_message_is_whole
        CHECK (content = 'settlement' OR (address IS NOT NULL AND body IS NOT NULL AND properties IS NOT NULL)),
    CONSTRAINT inbox_settlement_is_whole
        CHECK (content <> 'settlement' OR (subscription_id IS NOT NULL AND sequence IS NOT NULL)),
    CONSTRAINT inbox_kind_is_queue_or_topic CHECK (kind IN ('queue', 'topic')),
    CONSTRAINT inbox_body_is_at_most_16_mib CHECK (octet_length(body) <= 16777216)
-- Nearly empty and always written: cleared up often, and never cut short, which would lock callers out for a moment.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000, toast.vacuum_truncate = false);

ALTER TABLE ringtable.inbox ALTER COLUMN body SET STORAGE EXTERNAL;

-- Who settles what somebody else is settling waits for the end of that one's transaction. Messages are not in it.
CREATE UNIQUE INDEX inbox_settles_once ON ringtable.inbox (shard_id, subscription_id, sequence)
    WHERE content = 'settlement';

COMMENT ON TABLE ringtable.inbox IS 'What applications published and settled inside their own transactions, until a flush takes it over';
COMMENT ON COLUMN ringtable.inbox.shard_id IS 'The ring that will hold the message, or holds the one that is settled';
COMMENT ON COLUMN ringtable.inbox.inbox_id IS 'Rises with every call, so that one caller''s messages keep their order; gaps are roll-backs. A lower one may become visible later';
COMMENT ON COLUMN ringtable.inbox.content IS 'text: a message, body is UTF-8; bytes: a message, body is anything; settlement: no message';
COMMENT ON COLUMN ringtable.inbox.address IS 'Where the message goes, without prefix; created when it is collected';
COMMENT ON COLUMN ringtable.inbox.kind IS 'queue or topic, as the caller wrote it; NULL = the caller did not say';
COMMENT ON COLUMN ringtable.inbox.body IS 'What the caller published';
COMMENT ON COLUMN ringtable.inbox.properties IS 'A flat object: application properties, and the reserved keys that publish knows';
COMMENT ON COLUMN ringtable.inbox.subscription_id IS 'Who settles; NULL for a message';
COMMENT ON COLUMN ringtable.inbox.sequence IS 'What is settled; NULL for a message';
COMMENT ON COLUMN ringtable.inbox.laid_down_at IS 'When publish or settle was called';

-- Lays a message into the inbox of the caller's transaction, or refuses it with what is wrong (SQLSTATE 22023).
CREATE FUNCTION ringtable.lay_in_inbox(p_address text, p_content text, p_body bytea, p_properties jsonb) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kind       text;
    v_name       text := p_address;
    v_properties jsonb := coalesce(p_properties, '{}');
    v_key        text;
    v_type       text;
    v_value      text;
    v_wanted     text;
BEGIN
    IF p_address LIKE 'queue://%' OR p_address LIKE 'topic://%' THEN
        v_kind := left(p_address, 5);
        v_name := substr(p_address, 9);
    END IF;
    IF v_name IS NULL OR v_name = '' OR char_length(v_name) > 400
       OR v_name ~ '[\u0001-\u001f\u007f-\u009f]' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3050 an address has 1 to 400 characters, none of them a control character, after queue:// or'
                ' topic://; this one is %s', coalesce(quote_literal(left(v_name, 400)), 'NULL'));
    END IF;
    IF p_body IS NULL OR octet_length(p_body) > 16777216 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3051 the body of a message for ''%s'' has %s: give one of at most 16777216 bytes', v_name,
                coalesce(octet_length(p_body) || ' bytes', 'not been given (NULL)'));
    END IF;
    IF v_properties <> '{}' THEN
        IF jsonb_typeof(v_properties) <> 'object' OR octet_length(v_properties::text) > 65536 THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-3052 properties are an object of at most 65536 bytes: this is %s of %s bytes',
                    jsonb_typeof(v_properties), octet_length(v_properties::text));
        END IF;
        FOR v_key, v_type, v_value IN SELECT e.key, jsonb_typeof(e.value), e.value #>> '{}' FROM jsonb_each(v_properties) AS e
        LOOP
            v_wanted := CASE
                WHEN v_key = 'durable' AND v_value IS DISTINCT FROM 'true' THEN
                    'true, as it is for everything that is published here'
                WHEN v_key = 'priority' AND (v_type <> 'number' OR v_value !~ '^[0-9]$') THEN
                    'a whole number from 0 to 9'
                WHEN v_key = 'ttl' AND (v_type <> 'number' OR v_value !~ '^[1-9][0-9]{0,9}$'
                                        OR v_value::numeric > 4294967295) THEN
                    'a time to live in ms, from 1 to 4294967295'
                WHEN v_key IN ('message-id', 'correlation-id', 'content-type', 'subject', 'reply-to', 'group-id')
                     AND v_type <> 'string' THEN
                    'a string'
                WHEN v_type IN ('object', 'array') THEN
                    'a string, a number, true, false or null'
                WHEN v_type = 'number' AND v_value !~ '\.' AND abs(v_value::numeric) > 9223372036854775807 THEN
                    'a whole number within 64 bits'
                WHEN v_type = 'number' AND abs(v_value::numeric) > 1.7e308 THEN
                    'a number that a double can hold'
            END;
            IF v_wanted IS NOT NULL THEN
                RAISE EXCEPTION USING ERRCODE = '22023',
                    MESSAGE = format('RT-3053 property ''%s'' is %s %s: it must be %s', v_key, v_type, left(v_value, 100),
                        v_wanted);
            END IF;
        END LOOP;
    END IF;
    INSERT INTO ringtable.inbox (shard_id, address, kind, content, body, properties, laid_down_at)
    VALUES (0, v_name, v_kind, p_content, p_body, v_properties, clock_timestamp());
END
$$;

COMMENT ON FUNCTION ringtable.lay_in_inbox IS 'What the forms of publish have in common; applications call publish';

-- For applications, who need EXECUTE on these two and no right on any table. The message is there for its subscribers once
-- the caller's transaction has committed, and never was if it rolls back.
CREATE FUNCTION ringtable.publish(p_address text, p_body text, p_properties jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ringtable.lay_in_inbox(p_address, 'text', convert_to(p_body, 'UTF8'), p_properties);
END
$$;

COMMENT ON FUNCTION ringtable.publish(text, text, jsonb) IS 'Publishes a text inside the caller''s transaction';

CREATE FUNCTION ringtable.publish(p_address text, p_body bytea, p_properties jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ringtable.lay_in_inbox(p_address, 'bytes', p_body, p_properties);
END
$$;

COMMENT ON FUNCTION ringtable.publish(text, bytea, jsonb) IS 'Publishes bytes inside the caller''s transaction';

REVOKE ALL ON FUNCTION ringtable.publish(text, text, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION ringtable.publish(text, bytea, jsonb) FROM PUBLIC;

-- The codes of delivery tags (ADR 15): settle takes the tag of a delivery that the broker has made, and none that somebody has made up.

CREATE TABLE ringtable.delivery_key (
    shard_id integer NOT NULL,
    secret   bytea   NOT NULL,
    CONSTRAINT delivery_key_pk PRIMARY KEY (shard_id),
    CONSTRAINT delivery_key_has_24_bytes CHECK (octet_length(secret) = 24)
);

COMMENT ON TABLE ringtable.delivery_key IS 'What the codes of delivery tags are made with; whoever can read it and may execute settle can settle anything';
COMMENT ON COLUMN ringtable.delivery_key.shard_id IS 'Whose deliveries';
COMMENT ON COLUMN ringtable.delivery_key.secret IS 'Random, laid down by the first owner of the shard, the same for all later ones';

-- Default privileges give a role rights on tables that are made later: not on this one.
DO $$
DECLARE
    v_grantee text;
BEGIN
    FOR v_grantee IN
        SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class AS c
        CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = 'ringtable.delivery_key'::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON ringtable.delivery_key FROM %s', v_grantee);
    END LOOP;
END
$$;

-- Answers the shard's secret; lays down the proposed one if there is none.
CREATE FUNCTION ringtable.keep_delivery_key(p_shard_id integer, p_proposed bytea) RETURNS bytea
LANGUAGE plpgsql
AS $$
DECLARE
    v_secret bytea;
BEGIN
    INSERT INTO ringtable.delivery_key (shard_id, secret) VALUES (p_shard_id, p_proposed)
    ON CONFLICT (shard_id) DO NOTHING;
    SELECT k.secret INTO STRICT v_secret FROM ringtable.delivery_key AS k WHERE k.shard_id = p_shard_id;
    RETURN v_secret;
END
$$;

COMMENT ON FUNCTION ringtable.keep_delivery_key IS 'Answers the secret of the codes in delivery tags; lays one down if there is none';

-- What up to ten digits of base64url stand for, the highest first: six bits each.
CREATE FUNCTION ringtable.tag_number(p_digits text) RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT ('x' || encode(substr(decode(lpad(translate(p_digits, '-_', '+/'), 12, 'A'), 'base64'), 2), 'hex'))::bit(64)::bigint
$$;

COMMENT ON FUNCTION ringtable.tag_number IS 'Reads a number of a delivery tag';

-- 60 bits that only a broker of this ring can have made: the broker's DeliveryCodes does the same. NULL if it has no key yet.
CREATE FUNCTION ringtable.delivery_code(p_epoch bigint, p_subscription_id bigint, p_sequence bigint) RETURNS bigint
LANGUAGE sql
STABLE
AS $$
    SELECT ('x' || encode(substr(sha256(k.secret || int8send(p_epoch) || int8send(p_subscription_id) || int8send(p_sequence)),
                                 1, 8), 'hex'))::bit(64)::bigint & 1152921504606846975
    FROM ringtable.delivery_key AS k
    WHERE k.shard_id = 0
$$;

COMMENT ON FUNCTION ringtable.delivery_code IS 'Makes the code of a delivery tag; for settle, and for nobody without the right to read the secret';

-- For applications: the message of this delivery is settled if, and only if, the caller's transaction commits. Raises
-- RT060 if it was settled before, so that what it stands for is not done twice; 22023 if it cannot be settled so.
CREATE FUNCTION ringtable.settle(p_delivery text) RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
AS $$
DECLARE
    v_part       text[] := regexp_match(p_delivery,
        '^([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{10})$');
    v_delivered  bigint;
    v_subscriber bigint;
    v_sequence   bigint;
    v_epoch      bigint;
    v_gate       bigint;
    v_address_id bigint;
    v_group_no   smallint;
    v_bit        smallint;
    v_segment    smallint;
    v_is_settled boolean;
BEGIN
    IF v_part IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3061 %s is no delivery of a queue or a durable subscription: give the delivery tag of the'
                ' message as the broker sent it, epoch.subscription.sequence.code',
                coalesce(quote_literal(left(p_delivery, 100)), 'NULL'));
    END IF;
    -- A snapshot that is older than the row below would not show that the message has been settled since.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3062 settling needs READ COMMITTED, and this transaction is %s: begin it with that level',
                upper(current_setting('transaction_isolation')));
    END IF;
    v_delivered := ringtable.tag_number(v_part[1]);
    v_subscriber := ringtable.tag_number(v_part[2]);
    v_sequence := ringtable.tag_number(v_part[3]);
    -- Before anything is written: a row of one that was made up would keep out those who hold the delivery.
    IF ringtable.tag_number(v_part[4]) IS DISTINCT FROM ringtable.delivery_code(v_delivered, v_subscriber, v_sequence) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3350 delivery %s (epoch %s, subscription %s, sequence %s) was made by no broker of this ring:'
                ' give the delivery tag as the broker sent it', p_delivery, v_delivered, v_subscriber, v_sequence);
    END IF;

    -- Waits for others who settle the same, and for the flush that takes over what one of them has committed.
    INSERT INTO ringtable.inbox (shard_id, content, subscription_id, sequence, laid_down_at)
    VALUES (0, 'settlement', v_subscriber, v_sequence, clock_timestamp())
    ON CONFLICT (shard_id, subscription_id, sequence) WHERE content = 'settlement' DO NOTHING;
    v_is_settled := NOT FOUND;

    -- Later statements, so later snapshots: they see the ledger that such a flush has left.
    WHILE NOT v_is_settled LOOP
        SELECT h.epoch, h.gate, u.address_id, u.group_no, u.bit, g.segment
        INTO v_epoch, v_gate, v_address_id, v_group_no, v_bit, v_segment
        FROM ringtable.shard AS h
        LEFT JOIN ringtable.subscription AS u ON u.shard_id = h.shard_id AND u.subscription_id = v_subscriber
        LEFT JOIN ringtable.segment AS g ON g.shard_id = h.shard_id AND g.ordinal = v_sequence / (h.capacity / 8)
        WHERE h.shard_id = 0;
        -- The number may be another message's in a database that was restored, and whoever held the message comes
        -- again under the new epoch.
        IF v_epoch IS DISTINCT FROM v_delivered THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-3063 delivery %s was made under epoch %s, and the shard is at %s: roll back, the'
                    ' message comes again', p_delivery, v_delivered, v_epoch);
        END IF;
        IF v_bit IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-3064 subscription %s of delivery %s was deleted: nothing is owed', v_subscriber,
                    p_delivery);
        END IF;
        IF v_sequence < v_gate THEN
            v_is_settled := NOT EXISTS (
                SELECT
                FROM ringtable.backlog AS b
                WHERE b.shard_id = 0
                  AND b.address_id = v_address_id
                  AND b.sequence = v_sequence
                  AND b.group_no = v_group_no
                  AND b.pending >> v_bit & 1 = 1
                  AND NOT EXISTS (
                      SELECT
                      FROM ringtable.backlog_settlement AS l
                      WHERE l.shard_id = 0
                        AND l.address_id = v_address_id
                        AND l.block = v_sequence / 1024
                        AND l.bit = v_bit
                        AND get_bit(l.settled, v_sequence % 1024) = 1));
            EXIT;
        END IF;
        -- Named, so that this transaction keeps one segment from being emptied, not all; and with the gate, since the
        -- segment may have been emptied before it was locked.
        EXECUTE format(
            'SELECT h.gate,'
            '       EXISTS (SELECT FROM ringtable.settlement_%s AS l'
            '               WHERE l.segment = $2 AND l.block = $1 / 1024 AND l.bit = $3'
            '                 AND get_bit(l.settled, $1 %% 1024) = 1)'
            ' FROM ringtable.shard AS h'
            ' WHERE h.shard_id = 0', v_segment)
        INTO v_gate, v_is_settled
        USING v_sequence, v_segment, v_bit;
        EXIT WHEN v_sequence >= v_gate;
        v_is_settled := false;
    END LOOP;
    IF v_is_settled THEN
        RAISE EXCEPTION USING ERRCODE = 'RT060',
            MESSAGE = format('RT-3060 delivery %s was settled already: roll back, what it stands for has been done',
                p_delivery);
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.settle IS 'Settles a delivery inside the caller''s transaction';

REVOKE ALL ON FUNCTION ringtable.settle(text) FROM PUBLIC;

-- Where the message of a settlement lies: 'ring', 'backlog', or NULL if nobody asks any more: it or the subscription is gone.
CREATE FUNCTION ringtable.settled_message(
    p_shard_id integer,
    p_subscription_id bigint,
    p_sequence bigint,
    OUT address_id bigint,
    OUT place text,
    OUT pending bigint,
    OUT body_bytes integer,
    OUT body_id bigint)
LANGUAGE sql
STABLE
AS $$
    SELECT u.address_id,
           CASE WHEN p_sequence >= h.gate THEN 'ring' WHEN b.sequence IS NOT NULL THEN 'backlog' END,
           coalesce(b.pending, 0), coalesce(b.body_bytes, 0), coalesce(b.body_id, 0)
    FROM ringtable.shard AS h
    JOIN ringtable.subscription AS u ON u.shard_id = h.shard_id AND u.subscription_id = p_subscription_id
    LEFT JOIN ringtable.backlog AS b
        ON b.shard_id = h.shard_id AND b.address_id = u.address_id AND b.sequence = p_sequence
           AND b.group_no = u.group_no
    WHERE h.shard_id = p_shard_id
$$;

COMMENT ON FUNCTION ringtable.settled_message IS 'Where the message of a settlement in the inbox lies';

-- What is committed in the inbox, lowest ids first, as one snapshot has it, until so many rows or bytes are reached. Of a
-- settlement also where its message lies and what the backlog knows of it.
CREATE FUNCTION ringtable.read_inbox(
    p_shard_id integer,
    p_left_out text[],
    p_rows_max integer,
    p_bytes_max bigint)
RETURNS TABLE (
    inbox_id bigint,
    address text,
    kind text,
    content text,
    body bytea,
    properties text,
    age_ms bigint,
    subscription_id bigint,
    sequence bigint,
    address_id bigint,
    place text,
    pending bigint,
    body_bytes integer,
    body_id bigint)
LANGUAGE plpgsql
STABLE -- the snapshot of the caller's statement, however many rows are fetched
SET plan_cache_mode = force_generic_plan -- asked hundreds of times a second
SET enable_seqscan = off -- whatever statistics say of a table that is now empty and now full
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    v_bytes bigint := 0;
BEGIN
    FOR inbox_id, address, kind, content, body, properties, age_ms, subscription_id, sequence IN
        SELECT i.inbox_id, i.address, i.kind, i.content, i.body, i.properties::text,
               greatest(0, date_part('epoch', clock_timestamp() - i.laid_down_at) * 1000)::bigint,
               i.subscription_id, i.sequence
        FROM ringtable.inbox AS i
        WHERE i.shard_id = p_shard_id AND (i.address IS NULL OR i.address <> ALL (p_left_out))
        ORDER BY i.inbox_id
        LIMIT p_rows_max
    LOOP
        IF content = 'settlement' THEN
            SELECT f.address_id, f.place, f.pending, f.body_bytes, f.body_id
            INTO address_id, place, pending, body_bytes, body_id
            FROM ringtable.settled_message(p_shard_id, subscription_id, sequence) AS f;
        ELSE
            v_bytes := v_bytes + octet_length(body);
            EXIT WHEN v_bytes > p_bytes_max AND v_bytes > octet_length(body);
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION ringtable.read_inbox IS 'What is committed in the inbox, lowest ids first, as one snapshot has it';

-- Deletes the rows that the flush has taken over. Answers how many there were.
CREATE FUNCTION ringtable.delete_from_inbox(p_shard_id integer, p_inbox_ids bigint[]) RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
DECLARE
    v_deleted bigint;
BEGIN
    DELETE FROM ringtable.inbox AS i WHERE i.shard_id = p_shard_id AND i.inbox_id = ANY (p_inbox_ids);
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    RETURN v_deleted;
END
$$;

COMMENT ON FUNCTION ringtable.delete_from_inbox IS 'Deletes the rows of the inbox that a flush has taken over';

-- A batch that has something of the inbox in it: makes it durable and deletes its rows, or neither. Apart from flush, which
-- stays what it was for everybody else.
CREATE FUNCTION ringtable.flush_inbox(
    p_shard_id integer,
    p_epoch bigint,
    p_gate bigint,
    p_dispatch_bound bigint,
    p_first_sequence bigint,
    p_claims integer,
    p_address_id bigint[],
    p_pending bigint[],
    p_published_at timestamptz[],
    p_priority smallint[],
    p_expires_at timestamptz[],
    p_deliver_at timestamptz[],
    p_group_no smallint[],
    p_body_id bigint[],
    p_body_bytes integer[],
    p_body bytea[],
    p_block bigint[],
    p_bit smallint[],
    p_settled bytea[],
    p_backlog_address_id bigint[],
    p_backlog_block bigint[],
    p_backlog_bit smallint[],
    p_backlog_settled bytea[],
    p_redelivery_sequence bigint[],
    p_redelivery_subscription_id bigint[],
    p_redelivery_count integer[],
    p_redelivery_not_before timestamptz[],
    p_dispatched_subscription_id bigint[],
    p_dispatched_to bigint[],
    p_inbox_ids bigint[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_deleted bigint;
BEGIN
    -- Locks the owner row and checks the epoch first: a former owner deletes nothing.
    PERFORM ringtable.flush(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims, p_address_id,
        p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id, p_body_bytes, p_body,
        p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled,
        p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before,
        p_dispatched_subscription_id, p_dispatched_to);
    v_deleted := ringtable.delete_from_inbox(p_shard_id, p_inbox_ids);
    -- Where nobody owes any of them no number tells whether an earlier try has committed, and it does no harm to find them gone.
    IF v_deleted <> cardinality(p_inbox_ids) AND p_claims > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('inbox: %s rows deleted where %s must', v_deleted, cardinality(p_inbox_ids));
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush_inbox IS 'Makes one batch durable that has something of the inbox in it, and deletes its rows';

-- What keeps messages from being stored twice is written by the flush that stores them: the number that a producer has come to,
-- and the ids of messages that carry one.

-- Raises the numbers of producers. Answers how many there were: one that is there and does not go back.
CREATE FUNCTION ringtable.raise_producers(
    p_shard_id integer,
    p_producer_id bigint[],
    p_last_number bigint[],
    p_used_at timestamptz[])
RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- whatever statistics say of a table that was empty
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_raised bigint;
BEGIN
    UPDATE ringtable.producer AS p
    SET last_number = n.last_number, used_at = n.used_at
    FROM unnest(p_producer_id, p_last_number, p_used_at) AS n (producer_id, last_number, used_at)
    WHERE p.shard_id = p_shard_id AND p.producer_id = n.producer_id AND p.last_number <= n.last_number;
    GET DIAGNOSTICS v_raised = ROW_COUNT;
    RETURN v_raised;
END
$$;

COMMENT ON FUNCTION ringtable.raise_producers IS 'Raises the numbers of producers whose messages a flush has stored';

-- Overwrites the oldest ids of their windows. Answers how many: a younger one is never overwritten.
CREATE FUNCTION ringtable.keep_duplicate_ids(
    p_shard_id integer,
    p_address_id bigint[],
    p_position integer[],
    p_ordinal bigint[],
    p_id bytea[])
RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_kept bigint;
BEGIN
    INSERT INTO ringtable.duplicate_id AS d (shard_id, address_id, position, ordinal, id)
    SELECT p_shard_id, n.address_id, n.position, n.ordinal, n.id
    FROM unnest(p_address_id, p_position, p_ordinal, p_id) AS n (address_id, position, ordinal, id)
    ON CONFLICT (shard_id, address_id, position) DO UPDATE SET ordinal = excluded.ordinal, id = excluded.id
        WHERE d.ordinal <= excluded.ordinal;
    GET DIAGNOSTICS v_kept = ROW_COUNT;
    RETURN v_kept;
END
$$;

COMMENT ON FUNCTION ringtable.keep_duplicate_ids IS 'Keeps the ids of messages that a flush has stored';

-- A batch with messages that are stored once: makes it durable together with what says so, or neither. It may have something of the
-- inbox in it as well. Apart from flush, which stays what it was for everybody else.
CREATE FUNCTION ringtable.flush_once(
    p_shard_id integer,
    p_epoch bigint,
    p_gate bigint,
    p_dispatch_bound bigint,
    p_first_sequence bigint,
    p_claims integer,
    p_address_id bigint[],
    p_pending bigint[],
    p_published_at timestamptz[],
    p_priority smallint[],
    p_expires_at timestamptz[],
    p_deliver_at timestamptz[],
    p_group_no smallint[],
    p_body_id bigint[],
    p_body_bytes integer[],
    p_body bytea[],
    p_block bigint[],
    p_bit smallint[],
    p_settled bytea[],
    p_backlog_address_id bigint[],
    p_backlog_block bigint[],
    p_backlog_bit smallint[],
    p_backlog_settled bytea[],
    p_redelivery_sequence bigint[],
    p_redelivery_subscription_id bigint[],
    p_redelivery_count integer[],
    p_redelivery_not_before timestamptz[],
    p_dispatched_subscription_id bigint[],
    p_dispatched_to bigint[],
    p_inbox_ids bigint[],
    p_producer_id bigint[],
    p_producer_last_number bigint[],
    p_producer_used_at timestamptz[],
    p_duplicate_address_id bigint[],
    p_duplicate_position integer[],
    p_duplicate_ordinal bigint[],
    p_duplicate_id bytea[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_changed bigint;
BEGIN
    -- Locks the owner row and checks the epoch first: a former owner changes nothing.
    IF cardinality(p_inbox_ids) > 0 THEN
        PERFORM ringtable.flush_inbox(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims, p_address_id,
            p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id, p_body_bytes, p_body,
            p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled,
            p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before,
            p_dispatched_subscription_id, p_dispatched_to, p_inbox_ids);
    ELSE
        PERFORM ringtable.flush(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims, p_address_id,
            p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id, p_body_bytes, p_body,
            p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled,
            p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before,
            p_dispatched_subscription_id, p_dispatched_to);
    END IF;
    IF cardinality(p_producer_id) > 0 THEN
        v_changed := ringtable.raise_producers(p_shard_id, p_producer_id, p_producer_last_number, p_producer_used_at);
        IF v_changed <> cardinality(p_producer_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('producer: %s rows changed where %s must', v_changed, cardinality(p_producer_id));
        END IF;
    END IF;
    IF cardinality(p_duplicate_id) > 0 THEN
        v_changed := ringtable.keep_duplicate_ids(p_shard_id, p_duplicate_address_id, p_duplicate_position,
            p_duplicate_ordinal, p_duplicate_id);
        IF v_changed <> cardinality(p_duplicate_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('duplicate_id: %s rows changed where %s must', v_changed, cardinality(p_duplicate_id));
        END IF;
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush_once IS 'Makes one batch durable together with what keeps its messages from being stored twice';

-- Whose a client id is: the user's who first made a durable subscription with it.

CREATE TABLE ringtable.client_owner (
    shard_id  integer NOT NULL,
    client_id text    COLLATE "C" NOT NULL,
    owner     text    COLLATE "C" NOT NULL,
    CONSTRAINT client_owner_pk PRIMARY KEY (shard_id, client_id),
    CONSTRAINT client_owner_is_of_a_client CHECK (client_id <> ''),
    CONSTRAINT client_owner_is_somebody CHECK (owner <> '')
);

COMMENT ON TABLE ringtable.client_owner IS 'Which user a client id with durable subscriptions belongs to; a client id without a row belongs to whoever uses it first';
COMMENT ON COLUMN ringtable.client_owner.shard_id IS 'Shard of its subscriptions';
COMMENT ON COLUMN ringtable.client_owner.client_id IS 'As subscription.client_id; never empty';
COMMENT ON COLUMN ringtable.client_owner.owner IS 'Name of the user, as it logs in';
