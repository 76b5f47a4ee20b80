-- topic_push: appends a message for each subscriber; the body crosses to the engine once.
-- Called by:   NaiveSender, once per message.
-- Locks:       the write lock of the transaction.
-- Access path: all of topic_subscriber; appends to topic_message and its index.
-- Changes:     exactly one row per subscriber.
INSERT INTO topic_message (subscriber, body)
SELECT subscriber, ?1
FROM topic_subscriber;
