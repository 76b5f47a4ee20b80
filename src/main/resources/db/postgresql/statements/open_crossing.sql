-- open_crossing: begins to take over what lies in the inbox of another database, and tells what came last.
-- Called by:   PostgresqlRingStore.openCrossing, in auto-commit, at each start and after each failure.
-- Locks:       KEY SHARE on the owner row: flushes go on, a new owner waits; the row of the crossing.
-- Access path: crossing_pk.
-- Changes:     exactly one row.
SELECT number, inbox_ids FROM ringtable.open_crossing(p_shard_id => ?, p_epoch => ?, p_origin => ?);
