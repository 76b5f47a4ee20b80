-- alter_end_replay: notes that everything has been copied for a subscription that began in the past.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of replay.
-- Changes:     exactly one row.
UPDATE replay
SET finished = 1
WHERE subscription_id = ?1;
