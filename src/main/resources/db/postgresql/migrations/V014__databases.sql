-- Shards in several databases: which shard lies where, and what has come from the inboxes of other databases.

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
