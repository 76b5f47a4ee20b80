-- push_one: inserts a row for each subscriber.
-- Parameters: number, body, subscribers, ring's size.
INSERT INTO queue (subscriber, message_id, time, message)
WITH RECURSIVE subscribers (subscriber) AS (
    SELECT 0 UNION ALL SELECT subscriber + 1 FROM subscribers WHERE subscriber < ?3 - 1)
SELECT subscriber, ?1, datetime(), ?2 FROM subscribers;
