-- recover_shard: the owner row, if the caller is the owner.
-- Called by:   SqlserverRecovery, before and after everything else; checkOwner.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_shard.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_shard @shard_id = ?, @epoch = ?;
