-- alter_delete_address: removes an address, after its subscriptions.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of address.
-- Changes:     exactly one row.
DELETE FROM address
WHERE address_id = ?1;
