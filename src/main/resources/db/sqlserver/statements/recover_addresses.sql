-- recover_addresses: every address.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_addresses.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_addresses @shard_id = ?;
