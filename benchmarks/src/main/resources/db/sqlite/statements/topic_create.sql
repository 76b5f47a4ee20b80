-- topic_create: a row for each subscriber and message.
-- Called by:   NaiveQueue, once.
-- Locks:       the write lock.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE topic_message (
    message_id INTEGER PRIMARY KEY,
    subscriber INTEGER NOT NULL,
    body       BLOB    NOT NULL,
    CONSTRAINT topic_message_has_one_place UNIQUE (subscriber, message_id)
) STRICT;
