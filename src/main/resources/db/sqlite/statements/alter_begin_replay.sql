-- alter_begin_replay: notes from where on a subscription that begins in the past gets copies.
-- Called by:   SqliteCatalog, once per change, with the subscription.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: appends to replay.
-- Changes:     exactly one row.
INSERT INTO replay (subscription_id, position, finished)
VALUES (?1, ?2, 0);
