-- alter_forget_replay: removes the replay of a subscription, before it goes.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of replay.
-- Changes:     one row, or none if the subscription began with what came next.
DELETE FROM replay
WHERE subscription_id = ?1;
