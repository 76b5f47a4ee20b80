-- recover_addresses: every address.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of address.
-- Changes:     nothing.
SELECT address_id, name, kind, quota_messages, quota_bytes
FROM address
ORDER BY address_id;
