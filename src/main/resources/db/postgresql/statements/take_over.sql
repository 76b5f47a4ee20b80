-- take_over: lays messages from the inbox of another database into this one, each once, and notes their ids there.
-- Called by:   PostgresqlRingStore.takeOver, in auto-commit, once for each portion that another database has.
-- Locks:       KEY SHARE on the owner row: flushes go on, a new owner waits; the row of the crossing.
-- Access path: crossing_pk; inbox_pk, at its end.
-- Changes:     one row per message and one of crossing, or nothing.
SELECT ringtable.take_over(
    p_shard_id => ?, p_epoch => ?, p_origin => ?, p_number => ?, p_inbox_ids => ?, p_address => ?, p_kind => ?,
    p_content => ?, p_body => ?, p_properties => ?, p_age_ms => ?, p_published_by => ?);
