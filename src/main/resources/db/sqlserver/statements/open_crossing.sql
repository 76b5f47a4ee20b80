-- open_crossing: begins to take over what lies in the inbox of another database, and tells what came last.
-- Called by:   SqlserverRingStore.openCrossing, at each start and after each failure.
-- Locks:       the lease and the row of the crossing; waits for no flush.
-- Access path: see procedures/open_crossing.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.open_crossing @shard_id = ?, @epoch = ?, @origin = ?;
