-- unstage: deletes bodies that nobody owes any more.
-- Called by:   PostgresqlRingStore.unstage, in auto-commit.
-- Locks:       KEY SHARE on the owner row: flushes go on, a new owner waits.
-- Access path: overflow_pk.
-- Changes:     any number of rows.
SELECT ringtable.unstage(p_shard_id => ?, p_epoch => ?, p_body_ids => ?);
