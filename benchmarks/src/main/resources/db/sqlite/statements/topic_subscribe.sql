-- topic_subscribe: adds a subscriber.
-- Called by:   NaiveDriver, once per subscriber, before the first message.
-- Locks:       the write lock of the transaction.
-- Access path: appends to topic_subscriber.
-- Changes:     exactly one row.
INSERT INTO topic_subscriber (subscriber)
VALUES (?1);
