-- remove_taken_over: deletes messages that a shard in another database has taken over.
-- Called by:   SqlserverRingStore.removeTakenOver, after each portion.
-- Locks:       the keys of the rows that it deletes.
-- Access path: see procedures/remove_taken_over.sql.
-- Changes:     any number of rows.
EXECUTE ringtable.remove_taken_over @shard_id = ?, @inbox_ids = ?;
