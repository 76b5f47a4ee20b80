-- recover_client_owners: whose client ids are.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of client_owner.
-- Changes:     nothing.
SELECT client_id, owner
FROM client_owner
ORDER BY client_id;
