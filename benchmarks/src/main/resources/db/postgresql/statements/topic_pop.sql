-- topic_pop: takes a subscriber's first messages out.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       row locks on the subscriber's first rows; passes over locked rows.
-- Access path: primary key of topic_message, the subscriber's first entries.
-- Changes:     at most as many rows as asked for; MATERIALIZED chooses them once.
WITH first AS MATERIALIZED (
    SELECT subscriber, message_id
    FROM topic_message
    WHERE subscriber = ?
    ORDER BY message_id
    LIMIT ?
    FOR UPDATE SKIP LOCKED
)
DELETE FROM topic_message AS t
USING first AS f
WHERE t.subscriber = f.subscriber
  AND t.message_id = f.message_id
RETURNING t.body;
