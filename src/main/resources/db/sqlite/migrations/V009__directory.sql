-- Where names live, for brokers with several shards: addresses, durable subscriptions, client ids. The file of shard 0
-- has the rows, in those of the others both tables stay as they are here. Rows for what exists are made by the first
-- start with more than one shard.

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
