-- naive_sequence: the sequence that orders the naive queue.
-- Called by:   NaiveWorkload, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE SEQUENCE naive_sequence AS bigint;
