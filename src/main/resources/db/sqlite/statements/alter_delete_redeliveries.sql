-- alter_delete_redeliveries: forgets the failed deliveries of an address's subscriptions, before these go.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: the whole of redelivery, a table of failures only.
-- Changes:     any number of rows.
DELETE FROM redelivery
WHERE subscription_id IN (SELECT subscription_id FROM subscription WHERE address_id = ?1);
