-- naive_sequence: nothing to do: the sequence is AUTOINCREMENT's.
-- Called by:   NaiveWorkload, once.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT 1;
