-- naive_sequence: does nothing, since AUTOINCREMENT orders the queue.
-- Called by:   NaiveWorkload, once.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT 1;
