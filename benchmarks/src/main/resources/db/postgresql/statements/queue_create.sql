-- queue_create: the naive queue of the clients, in the order of its primary key.
-- Called by:   NaiveQueue, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE queue_message (
    message_id bigint GENERATED ALWAYS AS IDENTITY,
    body       bytea NOT NULL,
    PRIMARY KEY (message_id)
);
