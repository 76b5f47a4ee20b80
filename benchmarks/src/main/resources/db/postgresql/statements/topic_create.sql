-- topic_create: a row for each subscriber and message, in the order of a subscriber.
-- Called by:   NaiveQueue, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE topic_message (
    subscriber integer NOT NULL,
    message_id bigint GENERATED ALWAYS AS IDENTITY,
    body       bytea NOT NULL,
    PRIMARY KEY (subscriber, message_id)
);
