-- topic_push: appends a message for each subscriber; the body crosses the network once.
-- Called by:   NaiveSender, once per message.
-- Locks:       row locks on its own rows.
-- Access path: all of topic_subscriber; appends to topic_message.
-- Changes:     exactly one row per subscriber.
INSERT INTO dbo.topic_message (subscriber, body)
SELECT subscriber, ?
FROM dbo.topic_subscriber;
