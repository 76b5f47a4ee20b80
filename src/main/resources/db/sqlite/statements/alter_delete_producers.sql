-- alter_delete_producers: removes the producers of an address, before it goes.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: index of producer_name_is_unique_on_its_address.
-- Changes:     any number of rows.
DELETE FROM producer
WHERE address_id = ?1;
