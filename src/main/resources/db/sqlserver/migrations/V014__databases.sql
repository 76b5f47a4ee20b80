-- Shards in several databases: which shard lies where, and what has come from the inboxes of other databases.

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
GO

-- What a shard has taken over last from the inbox of another database: its rows may still lie there.
CREATE TABLE ringtable.crossing (
    shard_id  INT           NOT NULL, -- the shard that takes over
    origin    INT           NOT NULL, -- the other database, by its lowest shard
    number    BIGINT        NOT NULL, -- rises with every call: a call that comes late changes nothing
    inbox_ids NVARCHAR(MAX) NOT NULL, -- rows of the last call, by their ids in the other database: a JSON array
    CONSTRAINT crossing_pk PRIMARY KEY CLUSTERED (shard_id, origin)
);
GO
