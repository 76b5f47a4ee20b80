-- alter_delete_replays: removes the replays of an address's subscriptions, before these go.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of replay, once per subscription of the address.
-- Changes:     any number of rows.
DELETE FROM replay
WHERE subscription_id IN (SELECT subscription_id FROM subscription WHERE address_id = ?1);
