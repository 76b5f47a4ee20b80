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
