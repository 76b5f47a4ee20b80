-- Three more scopes of names. handover: of a shard from one node to another. There is one row at most, so there is one
-- handover at a time, by the version that each change names. shards: how many the cluster has, and which nodes have
-- begun with that number. affinity: the home of its first address, so that two nodes choose one.

ALTER TABLE ringtable.home DROP CONSTRAINT home_scope_is_known;

ALTER TABLE ringtable.home ADD CONSTRAINT home_scope_is_known
    CHECK (scope IN ('address', 'subscription', 'client', 'handover', 'shards', 'affinity'));

COMMENT ON COLUMN ringtable.home.scope IS
    'address, subscription or client: names of one scope are unique. handover: one row, for all shards. shards: a row '
    'named all, and one for each node by its id. affinity: where its first address was made';
COMMENT ON COLUMN ringtable.home.owner IS
    'Name of the user whom a client id or a global subscription belongs to; empty = nobody, or an address. Of a '
    'handover how far it is, the node that gives and the node that takes. Of a node its latest run';
COMMENT ON COLUMN ringtable.home.shard_id IS
    'Where it lives; -1 for a client id, which lives in no shard. In the scope shards how many there are';
