-- alter_purge: raises the sequence below which a subscription owes nothing.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of subscription.
-- Changes:     exactly one row.
UPDATE subscription
SET from_sequence = ?2
WHERE subscription_id = ?1;
