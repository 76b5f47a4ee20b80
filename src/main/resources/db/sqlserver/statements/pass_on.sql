-- pass_on: passes messages of the inbox on to another shard, in which their address lives.
-- Called by:   SqlserverRingStore.passOn, once for each home in a look.
-- Locks:       the lease, and the rows that it passes on; waits for no flush.
-- Access path: see procedures/pass_on.sql.
-- Changes:     exactly the rows that are named.
EXECUTE ringtable.pass_on @shard_id = ?, @epoch = ?, @home = ?, @inbox_ids = ?;
