-- renew: begins the lease anew.
-- Called by:   SqlserverRingStore.renew, by timer.
-- Locks:       the lease; waits for no flush.
-- Access path: see procedures/renew.sql.
-- Changes:     exactly one row; else the caller is fenced.
EXECUTE ringtable.renew @shard_id = ?, @epoch = ?;
