-- alter_subscribe: stores a new subscription.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of subscription.
-- Changes:     exactly one row; a bit that is taken is refused.
INSERT INTO subscription (subscription_id, address_id, client_id, name, group_no, bit, from_sequence, dispatched_to,
                          selector, no_local, shared)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, -1), ?9, ?10, ?11);
