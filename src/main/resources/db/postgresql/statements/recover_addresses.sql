-- recover_addresses: every address.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of address.
-- Changes:     nothing.
SELECT address_id, name, kind, quota_messages, quota_bytes
FROM ringtable.address
WHERE shard_id = ?
ORDER BY address_id;
