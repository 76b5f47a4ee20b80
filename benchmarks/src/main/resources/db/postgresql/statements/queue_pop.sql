-- queue_pop: takes the first messages out that no other consumer has in hand.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       row locks on the first rows; passes over locked rows.
-- Access path: primary key of queue_message, its first entries.
-- Changes:     at most as many rows as asked for; MATERIALIZED chooses them once.
WITH first AS MATERIALIZED (
    SELECT message_id
    FROM queue_message
    ORDER BY message_id
    LIMIT ?
    FOR UPDATE SKIP LOCKED
)
DELETE FROM queue_message AS q
USING first AS f
WHERE q.message_id = f.message_id
RETURNING q.body;
