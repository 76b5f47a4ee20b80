-- naive_create: the table of the naive queue, clustered on the number that orders it.
-- Called by:   NaiveWorkload, once.
-- Locks:       the write lock.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE naive_queue (
    message_id INTEGER PRIMARY KEY AUTOINCREMENT,
    time       INTEGER,
    message    BLOB
) STRICT;
