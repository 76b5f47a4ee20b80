-- alter_purge_redeliveries: forgets the failed deliveries of a subscription below a sequence.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: the whole of redelivery, a table of failures only.
-- Changes:     any number of rows.
DELETE FROM redelivery
WHERE subscription_id = ?1 AND sequence < ?2;
