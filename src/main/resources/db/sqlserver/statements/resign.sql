-- resign: ends the lease at once.
-- Called by:   SqlserverRingStore.resign, at an orderly stop.
-- Locks:       the lease.
-- Access path: see procedures/resign.sql.
-- Changes:     exactly one row; else the caller is fenced.
EXECUTE ringtable.resign @shard_id = ?, @epoch = ?;
