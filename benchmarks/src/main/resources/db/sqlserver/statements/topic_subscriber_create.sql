-- topic_subscriber_create: who gets a row for each message.
-- Called by:   NaiveQueue, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE dbo.topic_subscriber (
    subscriber int NOT NULL,
    CONSTRAINT topic_subscriber_pk PRIMARY KEY CLUSTERED (subscriber)
);
