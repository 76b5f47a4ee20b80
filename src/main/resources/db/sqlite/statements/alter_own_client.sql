-- alter_own_client: says whose a client id is from now on.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of client_owner.
-- Changes:     exactly one row, perhaps from another user.
INSERT INTO client_owner (client_id, owner)
VALUES (?1, ?2)
ON CONFLICT (client_id) DO UPDATE SET owner = excluded.owner;
