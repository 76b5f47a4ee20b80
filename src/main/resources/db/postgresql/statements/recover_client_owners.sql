-- recover_client_owners: whose client ids are.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of client_owner.
-- Changes:     nothing.
SELECT client_id, owner
FROM ringtable.client_owner
WHERE shard_id = ?
ORDER BY client_id;
