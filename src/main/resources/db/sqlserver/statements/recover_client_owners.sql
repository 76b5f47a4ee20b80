-- recover_client_owners: whose client ids are.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_client_owners.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_client_owners @shard_id = ?;
