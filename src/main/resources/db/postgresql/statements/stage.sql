-- stage: stores a large body in chunks.
-- Called by:   PostgresqlRingStore.stage, in auto-commit, before the flush that claims its message.
-- Locks:       KEY SHARE on the owner row: flushes go on, a new owner waits.
-- Access path: appends to overflow.
-- Changes:     one row per chunk.
SELECT ringtable.stage(p_shard_id => ?, p_epoch => ?, p_body_id => ?, p_data => ?);
