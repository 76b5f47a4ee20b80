-- Three more scopes of names. handover: of a shard from one node to another. There is one row at most, so there is one
-- handover at a time, by the version that each change names. shards: how many the cluster has, and which nodes have
-- begun with that number. affinity: the home of its first address, so that two nodes choose one.

ALTER TABLE ringtable.home DROP CONSTRAINT home_scope_is_known;
GO

ALTER TABLE ringtable.home ADD CONSTRAINT home_scope_is_known
    CHECK (scope IN ('address', 'subscription', 'client', 'handover', 'shards', 'affinity'));
GO
