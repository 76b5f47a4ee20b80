-- take_over: notes what a shard takes over from the inbox of another database; take_over_row lays each row.
-- Called by:   SqlserverRingStore.takeOver, once for each portion, in a transaction with its rows.
-- Locks:       the lease and the row of the crossing, until that transaction ends; waits for no flush.
-- Access path: see procedures/take_over.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.take_over @shard_id = ?, @epoch = ?, @origin = ?, @number = ?, @inbox_ids = ?;
