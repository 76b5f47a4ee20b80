-- Tables and views as they are now, for people, on PostgreSQL 15 and newer. The verbs stand in procedures, one function
-- per file. A test proves that migrations and procedures make exactly this.
-- Prose, growth and grants: ../README.md

CREATE SCHEMA ringtable;

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

COMMENT ON TABLE ringtable.shard IS
    'One row per ring: the row that every write locks and whose epoch it checks. Its shape never changes.';
COMMENT ON COLUMN ringtable.shard.shard_id IS 'Number of the ring';
COMMENT ON COLUMN ringtable.shard.epoch IS 'Rises by one with every owner; a write that names another epoch is refused';
COMMENT ON COLUMN ringtable.shard.acquired_at IS 'When its owner took it, by the clock of this server';
COMMENT ON COLUMN ringtable.shard.capacity IS
    'Slots of the ring: slot = sequence mod capacity; NULL until the ring is laid';
COMMENT ON COLUMN ringtable.shard.gate IS
    'Below it the ring has been cleared; what is still owed there is in the backlog';
COMMENT ON COLUMN ringtable.shard.dispatch_bound IS
    'Highest sequence that may have been delivered to a subscription without a bound of its own; -1 = none';
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

COMMENT ON TABLE ringtable.lease IS
    'Which node owns a shard and until when. Apart from the owner row, so that renewing waits for no flush and a '
    'snapshot held open does not lengthen the chain of versions that flushes walk. Its shape never changes.';
COMMENT ON COLUMN ringtable.lease.shard_id IS 'Number of the ring';
COMMENT ON COLUMN ringtable.lease.epoch IS 'The epoch that this node was given';
COMMENT ON COLUMN ringtable.lease.node_id IS 'Id that the owner keeps in its data directory';
COMMENT ON COLUMN ringtable.lease.node IS 'For people: host and process of the owner';
COMMENT ON COLUMN ringtable.lease.renewed_at IS 'When the lease began anew, by the clock of this server';
COMMENT ON COLUMN ringtable.lease.lease_ms IS 'How long it runs from there, in milliseconds; 0 = resigned';

CREATE TABLE ringtable.node (
    node_id     text   NOT NULL,
    run_id      text   NOT NULL,
    description text   NOT NULL,
    version     text   NOT NULL,
    state       text   NOT NULL,
    url         text,
    seen_at     timestamptz NOT NULL,
    lease_ms    bigint NOT NULL,
    CONSTRAINT node_pk PRIMARY KEY (node_id),
    CONSTRAINT node_lease_is_positive CHECK (lease_ms > 0)
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.node IS 'A node that is there, or was within the last day. Says nothing about ownership';
COMMENT ON COLUMN ringtable.node.node_id IS 'Id that the node keeps in its data directory';
COMMENT ON COLUMN ringtable.node.run_id IS 'Of the process: two with one node_id have copies of one data directory';
COMMENT ON COLUMN ringtable.node.description IS 'For people: host and process';
COMMENT ON COLUMN ringtable.node.version IS 'Of the broker';
COMMENT ON COLUMN ringtable.node.state IS 'What the node said of itself: ACTIVE, STANDBY, FAILED and so on';
COMMENT ON COLUMN ringtable.node.url IS 'Where clients reach it; NULL while it has no port';
COMMENT ON COLUMN ringtable.node.seen_at IS 'When it last wrote this row, by the clock of this server';
COMMENT ON COLUMN ringtable.node.lease_ms IS 'Its lease: the node counts as lost when it was not seen for longer';

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
COMMENT ON COLUMN ringtable.subscription.client_id IS
    'JMS client id that owns it; empty for queues and global shared subscriptions';
COMMENT ON COLUMN ringtable.subscription.name IS 'Name within its client id; empty for the one subscription of a queue';
COMMENT ON COLUMN ringtable.subscription.group_no IS 'Which group of 63 on its address';
COMMENT ON COLUMN ringtable.subscription.bit IS 'Its bit in slot.pending and backlog.pending';
COMMENT ON COLUMN ringtable.subscription.from_sequence IS 'It owes no message below this';
COMMENT ON COLUMN ringtable.subscription.dispatched_to IS
    'Highest sequence that may have been delivered to it; NULL = the bound of its shard applies';
COMMENT ON COLUMN ringtable.subscription.selector IS 'JMS selector; NULL = every message';
COMMENT ON COLUMN ringtable.subscription.no_local IS 'Whether it gets nothing that its own client published';
COMMENT ON COLUMN ringtable.subscription.shared IS 'Whether several links may read it at once';

-- Whose a client id is: the user's who first made a durable subscription with it.

CREATE TABLE ringtable.client_owner (
    shard_id  integer NOT NULL,
    client_id text    COLLATE "C" NOT NULL,
    owner     text    COLLATE "C" NOT NULL,
    CONSTRAINT client_owner_pk PRIMARY KEY (shard_id, client_id),
    CONSTRAINT client_owner_is_of_a_client CHECK (client_id <> ''),
    CONSTRAINT client_owner_is_somebody CHECK (owner <> '')
);

COMMENT ON TABLE ringtable.client_owner IS
    'Which user a client id with durable subscriptions belongs to; a client id without a row belongs to whoever uses '
    'it first';
COMMENT ON COLUMN ringtable.client_owner.shard_id IS 'Shard of its subscriptions';
COMMENT ON COLUMN ringtable.client_owner.client_id IS 'As subscription.client_id; never empty';
COMMENT ON COLUMN ringtable.client_owner.owner IS 'Name of the user, as it logs in';

-- What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages.

CREATE TABLE ringtable.setting (
    shard_id   integer     NOT NULL,
    kind       text        COLLATE "C" NOT NULL,
    name       text        COLLATE "C" NOT NULL,
    document   text        NOT NULL,
    changed_by text        NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT setting_pk PRIMARY KEY (shard_id, kind, name),
    CONSTRAINT setting_kind_is_known CHECK (kind IN ('user', 'rule', 'role', 'policy', 'job')),
    CONSTRAINT setting_has_a_name CHECK (name <> '')
);

COMMENT ON TABLE ringtable.setting IS
    'What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages';
COMMENT ON COLUMN ringtable.setting.shard_id IS 'Shard that it is for';
COMMENT ON COLUMN ringtable.setting.kind IS 'user, rule, role, policy or job';
COMMENT ON COLUMN ringtable.setting.name IS 'Of a policy its pattern';
COMMENT ON COLUMN ringtable.setting.document IS 'JSON; which fields it has is the kind''s affair';
COMMENT ON COLUMN ringtable.setting.changed_by IS 'Name of the user who set it last; empty = there are no users';
COMMENT ON COLUMN ringtable.setting.changed_at IS 'When';

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

COMMENT ON TABLE ringtable.segment IS
    'The durable map from stretches of sequences to the tables slot_<segment> and settlement_<segment>';
COMMENT ON COLUMN ringtable.segment.segment IS 'Number of the tables slot_<segment> and settlement_<segment>';
COMMENT ON COLUMN ringtable.segment.shard_id IS 'The ring they belong to';
COMMENT ON COLUMN ringtable.segment.ordinal IS
    'They hold the sequences from ordinal * (capacity / 8) to (ordinal + 1) * (capacity / 8) - 1; NULL = empty and '
    'free';
COMMENT ON COLUMN ringtable.segment.summarized IS
    'It is full, and the index of its slots knows which pages hold which sequences';

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
    login_id        integer,
    -- Two rules and no more: each is read anew from the catalogue by every flush, 12 microseconds a time.
    CONSTRAINT slot_reference_count_is_bits_of_pending
        CHECK (reference_count > 0 AND reference_count = bit_count(pending::bit(64))),
    CONSTRAINT slot_body_is_here_or_in_overflow CHECK ((body IS NULL) = (body_id IS NOT NULL))
) PARTITION BY LIST (segment);

-- Bodies do not compress twice; they lie in the row as far as a page goes and in TOAST beyond.
ALTER TABLE ringtable.slot ALTER COLUMN body SET STORAGE EXTERNAL;

COMMENT ON TABLE ringtable.slot IS
    'The ring: one row per message with gate <= sequence < next; other rows count for nothing. Slot number = sequence'
    ' mod shard.capacity. Claims append in order of sequence, so a BRIN index finds them (a B-tree would cost 66 '
    'bytes of log and a quarter of the time per message). The four short columns stand first so that no byte is lost '
    'to alignment.';
COMMENT ON COLUMN ringtable.slot.segment IS 'The table that the row lies in';
COMMENT ON COLUMN ringtable.slot.group_no IS
    'Which group of 63 subscriptions of its address the bits of pending belong to';
COMMENT ON COLUMN ringtable.slot.priority IS '0 to 9; 4 is normal';
COMMENT ON COLUMN ringtable.slot.reference_count IS 'How many owed the message when it was published';
COMMENT ON COLUMN ringtable.slot.sequence IS 'Number of the message in its shard';
COMMENT ON COLUMN ringtable.slot.address_id IS 'Where it was published';
COMMENT ON COLUMN ringtable.slot.pending IS
    'The bits of those who owed it when it was published; what has been settled since is in settlement';
COMMENT ON COLUMN ringtable.slot.published_at IS 'When the broker took it';
COMMENT ON COLUMN ringtable.slot.expires_at IS 'NULL = never';
COMMENT ON COLUMN ringtable.slot.deliver_at IS 'Not before; NULL = at once';
COMMENT ON COLUMN ringtable.slot.body_id IS 'Its body in overflow; NULL = it is in this row';
COMMENT ON COLUMN ringtable.slot.body_bytes IS 'Length of a body in overflow; NULL = it is in this row';
COMMENT ON COLUMN ringtable.slot.body IS 'The encoded AMQP message as it came';
COMMENT ON COLUMN ringtable.slot.login_id IS
    'Who published it: a row of login; NULL = a client without a login, -1 = not known. It stands last: a message '
    'without a login has no byte of it';

CREATE TABLE ringtable.settlement (
    segment smallint NOT NULL,
    bit     smallint NOT NULL,
    block   bigint   NOT NULL,
    settled bytea    NOT NULL,
    CONSTRAINT settlement_pk PRIMARY KEY (segment, block, bit),
    CONSTRAINT settlement_is_one_bit_per_sequence CHECK (octet_length(settled) = 128)
) PARTITION BY LIST (segment);

COMMENT ON TABLE ringtable.settlement IS
    'The ledger of the ring: what has been settled, by blocks of 1,024 neighbouring sequences and bit. Blocks below '
    'gate / 1024 count for nothing.';
COMMENT ON COLUMN ringtable.settlement.segment IS 'The table that the row lies in';
COMMENT ON COLUMN ringtable.settlement.bit IS 'Who settled: a bit of slot.pending';
COMMENT ON COLUMN ringtable.settlement.block IS 'sequence / 1024';
COMMENT ON COLUMN ringtable.settlement.settled IS
    'get_bit(settled, sequence % 1024) = 1: the bit has settled the message';

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
    login_id        integer,
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
COMMENT ON COLUMN ringtable.backlog.group_no IS
    'Which group of 63 subscriptions of its address the bits of pending belong to';
COMMENT ON COLUMN ringtable.backlog.reference_count IS 'How many owed the message when it was moved';
COMMENT ON COLUMN ringtable.backlog.pending IS
    'The bits of those who owed it when it was moved; what has been settled since is in backlog_settlement';
COMMENT ON COLUMN ringtable.backlog.body_id IS 'Its body in overflow; NULL = it is in this row';
COMMENT ON COLUMN ringtable.backlog.body_bytes IS 'Length of the body wherever it lies';
COMMENT ON COLUMN ringtable.backlog.body IS 'The encoded AMQP message as it came';
COMMENT ON COLUMN ringtable.backlog.login_id IS 'Who published it, as in slot';

CREATE TABLE ringtable.backlog_settlement (
    shard_id   integer  NOT NULL,
    address_id bigint   NOT NULL,
    block      bigint   NOT NULL,
    bit        smallint NOT NULL,
    settled    bytea    NOT NULL,
    CONSTRAINT backlog_settlement_pk PRIMARY KEY (shard_id, address_id, block, bit),
    CONSTRAINT backlog_settlement_is_one_bit_per_sequence CHECK (octet_length(settled) = 128)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

COMMENT ON TABLE ringtable.backlog_settlement IS
    'The ledger of the backlog: what has been settled since the move, by address, block and bit';
COMMENT ON COLUMN ringtable.backlog_settlement.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.backlog_settlement.address_id IS 'Whose messages';
COMMENT ON COLUMN ringtable.backlog_settlement.block IS 'sequence / 1024';
COMMENT ON COLUMN ringtable.backlog_settlement.bit IS 'Who settled: a bit of backlog.pending';
COMMENT ON COLUMN ringtable.backlog_settlement.settled IS
    'get_bit(settled, sequence % 1024) = 1: the bit has settled the message';

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

COMMENT ON TABLE ringtable.backlog_summary IS
    'One row per address that has a backlog, kept by reclaim and discard, so that recovery need not read the backlog';
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
COMMENT ON COLUMN ringtable.overflow.body_id IS
    'Never reused; named by slot.body_id or backlog.body_id once the message is claimed';
COMMENT ON COLUMN ringtable.overflow.chunk IS '0, 1, 2 ...';
COMMENT ON COLUMN ringtable.overflow.chunks IS 'How many chunks the body has';
COMMENT ON COLUMN ringtable.overflow.data IS 'At most 1 MiB of it';

-- Where names live: one home for each name ---------------------------------------------------------------------------

-- Both are read in the database of shard 0, and stay empty while the broker has one shard.

CREATE TABLE ringtable.directory (
    directory_id smallint NOT NULL,
    version      bigint   NOT NULL,
    removed_at   bigint   NOT NULL,
    CONSTRAINT directory_pk PRIMARY KEY (directory_id),
    CONSTRAINT directory_is_one_row CHECK (directory_id = 0),
    CONSTRAINT directory_removal_is_a_version CHECK (removed_at BETWEEN 0 AND version)
);

COMMENT ON TABLE ringtable.directory IS
    'One row: the version of the table home. Every change of home locks it first, so that versions rise in the order '
    'of commits';
COMMENT ON COLUMN ringtable.directory.directory_id IS 'Always 0';
COMMENT ON COLUMN ringtable.directory.version IS 'Of the latest change of home; 0 = there was none';
COMMENT ON COLUMN ringtable.directory.removed_at IS
    'Of the latest change that removed a row: whoever knows an older version reads all of home';

INSERT INTO ringtable.directory (directory_id, version, removed_at) VALUES (0, 0, 0);

CREATE TABLE ringtable.home (
    scope    text    COLLATE "C" NOT NULL,
    name     text    COLLATE "C" NOT NULL,
    part     integer NOT NULL,
    kind     text    COLLATE "C" NOT NULL,
    shard_id integer NOT NULL,
    owner    text    COLLATE "C" NOT NULL,
    state    text    COLLATE "C" NOT NULL,
    version  bigint  NOT NULL,
    next_shard_id integer NOT NULL DEFAULT -1,
    CONSTRAINT home_pk PRIMARY KEY (scope, name, part),
    CONSTRAINT home_scope_is_known CHECK
        (scope IN ('address', 'subscription', 'client', 'handover', 'shards', 'affinity')),
    CONSTRAINT home_has_a_name CHECK (name <> ''),
    CONSTRAINT home_part_is_not_negative CHECK (part >= 0),
    CONSTRAINT home_kind_is_of_an_address CHECK
        (CASE WHEN scope = 'address' THEN kind IN ('queue', 'topic') ELSE kind = '' END),
    CONSTRAINT home_is_a_shard CHECK (CASE WHEN scope = 'client' THEN shard_id = -1 ELSE shard_id >= 0 END),
    CONSTRAINT home_state_is_known CHECK (state IN ('here', 'going')),
    CONSTRAINT home_version_is_positive CHECK (version > 0),
    CONSTRAINT home_next_is_another CHECK
        (next_shard_id = -1 OR scope = 'address' AND next_shard_id >= 0 AND next_shard_id <> shard_id)
);

COMMENT ON TABLE ringtable.home IS
    'Which shard an address, a part of a queue or a durable subscription lives in, and whose a client id is. Empty '
    'while the broker has one shard. Read in the database of shard 0';
COMMENT ON COLUMN ringtable.home.scope IS
    'address, subscription or client: names of one scope are unique. handover: one row, for all shards. shards: a row '
    'named all, and one for each node by its id. affinity: where its first address was made';
COMMENT ON COLUMN ringtable.home.name IS
    'Of an address as it stands in address; of a client id as in subscription. Of a subscription the length of its '
    'client id, a bar, the client id, a bar and its name; of more than 400 characters the first 320, a bar and a '
    'SHA-256';
COMMENT ON COLUMN ringtable.home.part IS '0, 1, 2 ...: of what has parts; 0 for all others';
COMMENT ON COLUMN ringtable.home.kind IS 'queue or topic; empty for what is no address';
COMMENT ON COLUMN ringtable.home.shard_id IS
    'Where it lives; -1 for a client id, which lives in no shard. In the scope shards how many there are';
COMMENT ON COLUMN ringtable.home.owner IS
    'Name of the user whom a client id or a global subscription belongs to; empty = nobody, or an address. Of a '
    'handover how far it is, the node that gives and the node that takes. Of a node its latest run';
COMMENT ON COLUMN ringtable.home.state IS 'here; or going: it is being deleted, and nobody may make it';
COMMENT ON COLUMN ringtable.home.version IS 'Of its latest change: a change names the version that it supersedes';
COMMENT ON COLUMN ringtable.home.next_shard_id IS 'Where an address moves to; -1 = it stays';

-- Who published ------------------------------------------------------------------------------------------------------

CREATE TABLE ringtable.login (
    shard_id integer NOT NULL,
    login_id integer NOT NULL,
    kind     text    NOT NULL,
    name     text    COLLATE "C" NOT NULL,
    CONSTRAINT login_pk PRIMARY KEY (shard_id, login_id),
    CONSTRAINT login_id_begins_with_1 CHECK (login_id >= 1),
    CONSTRAINT login_kind_is_known CHECK (kind IN ('user', 'database', 'broker')),
    CONSTRAINT login_of_a_user_has_a_name CHECK (kind <> 'user' OR name <> '')
);

COMMENT ON TABLE ringtable.login IS
    'By which logins messages were published: what the broker or the database has checked';
COMMENT ON COLUMN ringtable.login.shard_id IS 'Shard of the messages';
COMMENT ON COLUMN ringtable.login.login_id IS '1, 2, 3 ...: never reused in its shard';
COMMENT ON COLUMN ringtable.login.kind IS
    'user: of the broker; database: of a transaction that published by SQL; broker: the broker itself';
COMMENT ON COLUMN ringtable.login.name IS 'Of the user, as it logs in; empty if there is none or it is not known';

-- What keeps a message from being stored twice ----------------------------------------------------------------------

CREATE TABLE ringtable.producer (
    shard_id    integer     NOT NULL,
    producer_id bigint      NOT NULL,
    address_id  bigint      NOT NULL,
    name        text        COLLATE "C" NOT NULL,
    incarnation bigint      NOT NULL,
    last_number bigint      NOT NULL,
    used_at     timestamptz NOT NULL,
    owner       text        COLLATE "C",
    CONSTRAINT producer_pk PRIMARY KEY (shard_id, producer_id),
    CONSTRAINT producer_name_is_unique UNIQUE (shard_id, address_id, name),
    CONSTRAINT producer_address_exists FOREIGN KEY (shard_id, address_id) REFERENCES ringtable.address,
    CONSTRAINT producer_incarnation_begins_with_1 CHECK (incarnation >= 1),
    CONSTRAINT producer_last_number_is_not_negative CHECK (last_number >= 0),
    CONSTRAINT producer_owner_is_somebody CHECK (owner <> '')
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.producer IS
    'Who publishes numbered messages to an address, and the number of the last one that is stored: written with it, '
    'by the same flush';
COMMENT ON COLUMN ringtable.producer.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.producer.producer_id IS 'Never reused in its shard';
COMMENT ON COLUMN ringtable.producer.address_id IS 'Where it publishes';
COMMENT ON COLUMN ringtable.producer.name IS 'The producer id that its application chose';
COMMENT ON COLUMN ringtable.producer.incarnation IS
    'Rises whenever an application opens it anew: earlier ones are fenced';
COMMENT ON COLUMN ringtable.producer.last_number IS 'Number of its last message that is stored; 0 = none';
COMMENT ON COLUMN ringtable.producer.used_at IS 'When it was opened, or its last message was taken';
COMMENT ON COLUMN ringtable.producer.owner IS
    'Name of the user who opened it first, as it logs in; NULL = nobody, it goes to the next user who opens it';

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

COMMENT ON TABLE ringtable.duplicate_id IS
    'The last ids (_AMQ_DUPL_ID) that messages of an address came with: a window whose oldest row is overwritten, '
    'written with their messages by the same flush';
COMMENT ON COLUMN ringtable.duplicate_id.shard_id IS 'Shard of the address';
COMMENT ON COLUMN ringtable.duplicate_id.address_id IS 'Whose messages';
COMMENT ON COLUMN ringtable.duplicate_id.position IS '0, 1, 2 ... below commit.duplicate-ids';
COMMENT ON COLUMN ringtable.duplicate_id.ordinal IS
    'Rises by one with every id of the address: the lowest one is the oldest';
COMMENT ON COLUMN ringtable.duplicate_id.id IS 'A string in UTF-8, or the bytes that the publisher gave';

CREATE TABLE ringtable.replay (
    shard_id        integer NOT NULL,
    subscription_id bigint  NOT NULL,
    position        bigint  NOT NULL,
    finished        boolean NOT NULL,
    CONSTRAINT replay_pk PRIMARY KEY (shard_id, subscription_id),
    CONSTRAINT replay_subscription_exists FOREIGN KEY (shard_id, subscription_id) REFERENCES ringtable.subscription,
    CONSTRAINT replay_position_is_not_negative CHECK (position >= 0)
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.replay IS
    'One row per subscription that began at a time in the past: how far the copies of what was kept have come, written '
    'with them by the same flush. It stays as long as the subscription';
COMMENT ON COLUMN ringtable.replay.shard_id IS 'Shard of the subscription';
COMMENT ON COLUMN ringtable.replay.subscription_id IS 'Whom the copies are made for';
COMMENT ON COLUMN ringtable.replay.position IS 'First sequence that has not been copied';
COMMENT ON COLUMN ringtable.replay.finished IS
    'Everything has been copied: the subscription owes what is published from then on like every other one';

-- Applications' own transactions -----------------------------------------------------------------------------------
-- The inbox: what applications publish and settle inside their own transactions. The broker takes what is committed
-- over into the ring and its ledger, and deletes exactly those rows in the flush that does so.

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
    published_by    text,
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
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000,
            toast.vacuum_truncate = false);

ALTER TABLE ringtable.inbox ALTER COLUMN body SET STORAGE EXTERNAL;

-- Who settles what somebody else is settling waits for the end of that one's transaction. Messages are not in it.
CREATE UNIQUE INDEX inbox_settles_once ON ringtable.inbox (shard_id, subscription_id, sequence)
    WHERE content = 'settlement';

COMMENT ON TABLE ringtable.inbox IS
    'What applications published and settled inside their own transactions, until a flush takes it over';
COMMENT ON COLUMN ringtable.inbox.shard_id IS 'The ring that will hold the message, or holds the one that is settled';
COMMENT ON COLUMN ringtable.inbox.inbox_id IS
    'Rises with every call, so that one caller''s messages keep their order; gaps are roll-backs. A lower one may '
    'become visible later';
COMMENT ON COLUMN ringtable.inbox.content IS
    'text: a message, body is UTF-8; bytes: a message, body is anything; settlement: no message';
COMMENT ON COLUMN ringtable.inbox.address IS 'Where the message goes, without prefix; created when it is collected';
COMMENT ON COLUMN ringtable.inbox.kind IS 'queue or topic, as the caller wrote it; NULL = the caller did not say';
COMMENT ON COLUMN ringtable.inbox.body IS 'What the caller published';
COMMENT ON COLUMN ringtable.inbox.properties IS
    'A flat object: application properties, and the reserved keys that publish knows';
COMMENT ON COLUMN ringtable.inbox.subscription_id IS 'Who settles; NULL for a message';
COMMENT ON COLUMN ringtable.inbox.sequence IS 'What is settled; NULL for a message';
COMMENT ON COLUMN ringtable.inbox.laid_down_at IS 'When publish or settle was called';
COMMENT ON COLUMN ringtable.inbox.published_by IS
    'User of the database who published the message, whatever role it took; NULL for a settlement, or if not known';

-- Shards in several databases (ADR 63).

CREATE TABLE ringtable.placement (
    shard_id integer NOT NULL,
    token    text    NOT NULL,
    here     boolean NOT NULL,
    store    text    NOT NULL,
    place    text    NOT NULL,
    CONSTRAINT placement_pk PRIMARY KEY (shard_id)
);

COMMENT ON TABLE ringtable.placement IS
    'Where each shard of the broker lies, the same rows in each of its databases; empty while all lie in one. Its '
    'shape never changes';
COMMENT ON COLUMN ringtable.placement.shard_id IS 'Number of the ring';
COMMENT ON COLUMN ringtable.placement.token IS
    'Random, made once for each shard: tells its database from another one of the same address';
COMMENT ON COLUMN ringtable.placement.here IS 'Whether the shard lies in this database';
COMMENT ON COLUMN ringtable.placement.store IS 'Name of its store in the configuration; main = ringtable.store';
COMMENT ON COLUMN ringtable.placement.place IS 'For people: address of its database';

CREATE TABLE ringtable.crossing (
    shard_id  integer  NOT NULL,
    origin    integer  NOT NULL,
    number    bigint   NOT NULL,
    inbox_ids bigint[] NOT NULL,
    CONSTRAINT crossing_pk PRIMARY KEY (shard_id, origin)
);

COMMENT ON TABLE ringtable.crossing IS
    'What a shard has taken over last from the inbox of another database: its rows may still lie there';
COMMENT ON COLUMN ringtable.crossing.shard_id IS 'The shard that takes over';
COMMENT ON COLUMN ringtable.crossing.origin IS 'The other database, by its lowest shard';
COMMENT ON COLUMN ringtable.crossing.number IS 'Rises with every call: a call that comes late changes nothing';
COMMENT ON COLUMN ringtable.crossing.inbox_ids IS 'Rows of the last call, by their ids in the other database';

-- The codes of delivery tags (ADR 15): settle takes the tag of a delivery that the broker has made, and none that
-- somebody has made up.

CREATE TABLE ringtable.delivery_key (
    shard_id integer NOT NULL,
    secret   bytea   NOT NULL,
    CONSTRAINT delivery_key_pk PRIMARY KEY (shard_id),
    CONSTRAINT delivery_key_has_24_bytes CHECK (octet_length(secret) = 24)
);

COMMENT ON TABLE ringtable.delivery_key IS
    'What the codes of delivery tags are made with; whoever can read it and may execute settle can settle anything';
COMMENT ON COLUMN ringtable.delivery_key.shard_id IS 'Whose deliveries';
COMMENT ON COLUMN ringtable.delivery_key.secret IS
    'Random, laid down by the first owner of the shard, the same for all later ones';

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
