-- topic_subscriber_create: who gets a row for each message.
-- Called by:   NaiveQueue, once.
-- Locks:       the write lock.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE topic_subscriber (
    subscriber INTEGER PRIMARY KEY
) STRICT;
