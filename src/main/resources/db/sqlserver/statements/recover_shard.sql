-- recover_shard: the owner row, if the caller is the owner.
-- Called by:   SqlserverRecovery, before and after everything else; checkOwner.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.recover_shard ?, ?;
