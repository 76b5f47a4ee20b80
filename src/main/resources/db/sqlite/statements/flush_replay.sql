-- flush_replay: notes how far the copies for a subscription have come.
-- Called by:   SqliteFlush, once per subscription with copies in the batch.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of replay.
-- Changes:     exactly one row; a position that would go back changes none, which aborts the transaction.
UPDATE replay
SET position = ?2
WHERE subscription_id = ?1 AND position <= ?2 AND finished = 0;
