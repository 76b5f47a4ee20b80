-- topic_create: a row for each subscriber and message, clustered in the order of a subscriber.
-- Called by:   NaiveQueue, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE dbo.topic_message (
    subscriber int            NOT NULL,
    message_id bigint         IDENTITY NOT NULL,
    body       varbinary(max) NOT NULL,
    CONSTRAINT topic_message_pk PRIMARY KEY CLUSTERED (subscriber, message_id)
);
