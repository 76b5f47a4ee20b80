-- naive_sequence: the sequence that orders the naive queue.
-- Called by:   NaiveWorkload, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE SEQUENCE dbo.naive_sequence AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
