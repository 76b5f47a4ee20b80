-- topic_push: appends a message for each subscriber; the body crosses the network once.
-- Called by:   NaiveSender, once per message.
-- Locks:       row locks on its own rows.
-- Access path: all of topic_subscriber; appends to topic_message and its primary key.
-- Changes:     exactly one row per subscriber.
INSERT INTO topic_message (subscriber, body)
SELECT s.subscriber, m.body
FROM topic_subscriber AS s
CROSS JOIN (SELECT ?::bytea AS body) AS m;
