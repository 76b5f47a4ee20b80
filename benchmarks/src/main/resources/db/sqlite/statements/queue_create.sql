-- queue_create: the naive queue of the clients; its rowid is the order, and costs no table of its own.
-- Called by:   NaiveQueue, once.
-- Locks:       the write lock.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE queue_message (
    message_id INTEGER PRIMARY KEY,
    body       BLOB NOT NULL
) STRICT;
