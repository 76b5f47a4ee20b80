-- remove_taken_over: deletes messages that a shard in another database has taken over.
-- Called by:   PostgresqlRingStore.removeTakenOver, in auto-commit, after each portion.
-- Locks:       the rows that it deletes.
-- Access path: inbox_pk.
-- Changes:     any number of rows.
SELECT ringtable.remove_taken_over(p_shard_id => ?, p_inbox_ids => ?);
