-- One more scope of names: the handover of a shard from one node to another. There is one row at most, so there is one
-- handover at a time, by the version that each change names.

ALTER TABLE ringtable.home DROP CONSTRAINT home_scope_is_known;
GO

ALTER TABLE ringtable.home ADD CONSTRAINT home_scope_is_known
    CHECK (scope IN ('address', 'subscription', 'client', 'handover'));
GO
