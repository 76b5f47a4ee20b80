-- recover_highest: the highest sequence in the ring, and how many slots it has.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_highest.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_highest @shard_id = ?;
