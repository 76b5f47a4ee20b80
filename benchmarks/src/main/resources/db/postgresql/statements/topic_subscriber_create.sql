-- topic_subscriber_create: who gets a row for each message.
-- Called by:   NaiveQueue, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE topic_subscriber (
    subscriber integer NOT NULL PRIMARY KEY
);
