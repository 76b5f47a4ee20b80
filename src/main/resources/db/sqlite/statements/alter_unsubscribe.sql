-- alter_unsubscribe: removes a subscription: its bits in stored messages count for nobody from then on.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of subscription.
-- Changes:     exactly one row.
DELETE FROM subscription
WHERE subscription_id = ?1;
