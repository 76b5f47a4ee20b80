-- topic_subscribe: adds a subscriber.
-- Called by:   NaiveDriver, once per subscriber, before the first message.
-- Locks:       a row lock on its own row.
-- Access path: appends to topic_subscriber.
-- Changes:     exactly one row.
INSERT INTO dbo.topic_subscriber (subscriber)
VALUES (?);
