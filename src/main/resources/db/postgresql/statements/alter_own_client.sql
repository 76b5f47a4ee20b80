-- alter_own_client: says whose a client id is from now on.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; the client id's row.
-- Access path: primary key of client_owner.
-- Changes:     exactly one row, perhaps from another user.
INSERT INTO ringtable.client_owner (shard_id, client_id, owner)
VALUES (?, ?, ?)
ON CONFLICT (shard_id, client_id) DO UPDATE SET owner = excluded.owner;
