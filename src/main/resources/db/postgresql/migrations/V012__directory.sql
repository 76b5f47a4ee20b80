-- Where names live, for brokers with several shards: addresses, durable subscriptions, client ids. Rows for what exists
-- are made by the first start with more than one shard.

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
    CONSTRAINT home_pk PRIMARY KEY (scope, name, part),
    CONSTRAINT home_scope_is_known CHECK (scope IN ('address', 'subscription', 'client')),
    CONSTRAINT home_has_a_name CHECK (name <> ''),
    CONSTRAINT home_part_is_not_negative CHECK (part >= 0),
    CONSTRAINT home_kind_is_of_an_address CHECK
        (CASE WHEN scope = 'address' THEN kind IN ('queue', 'topic') ELSE kind = '' END),
    CONSTRAINT home_is_a_shard CHECK (CASE WHEN scope = 'client' THEN shard_id = -1 ELSE shard_id >= 0 END),
    CONSTRAINT home_state_is_known CHECK (state IN ('here', 'going')),
    CONSTRAINT home_version_is_positive CHECK (version > 0)
);

COMMENT ON TABLE ringtable.home IS
    'Which shard an address, a part of a queue or a durable subscription lives in, and whose a client id is. Empty '
    'while the broker has one shard. Read in the database of shard 0';
COMMENT ON COLUMN ringtable.home.scope IS 'address, subscription or client: names of one scope are unique';
COMMENT ON COLUMN ringtable.home.name IS
    'Of an address as it stands in address; of a client id as in subscription. Of a subscription the length of its '
    'client id, a bar, the client id, a bar and its name; of more than 400 characters the first 320, a bar and a '
    'SHA-256';
COMMENT ON COLUMN ringtable.home.part IS '0, 1, 2 ...: of what has parts; 0 for all others';
COMMENT ON COLUMN ringtable.home.kind IS 'queue or topic; empty for what is no address';
COMMENT ON COLUMN ringtable.home.shard_id IS 'Where it lives; -1 for a client id, which lives in no shard';
COMMENT ON COLUMN ringtable.home.owner IS
    'Name of the user whom a client id or a global subscription belongs to; empty = nobody, or an address';
COMMENT ON COLUMN ringtable.home.state IS 'here; or going: it is being deleted, and nobody may make it';
COMMENT ON COLUMN ringtable.home.version IS 'Of its latest change: a change names the version that it supersedes';
