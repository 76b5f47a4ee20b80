-- alter_disown_client: a client id is nobody's from now on.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of client_owner.
-- Changes:     one row, or none if it is nobody's already.
DELETE FROM client_owner WHERE client_id = ?1;
