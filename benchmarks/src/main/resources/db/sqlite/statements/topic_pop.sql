-- topic_pop: takes a subscriber's first messages out.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       the write lock of the transaction.
-- Access path: index topic_message_has_one_place, the subscriber's first entries.
-- Changes:     at most as many rows as asked for.
DELETE FROM topic_message
WHERE message_id IN (
    SELECT message_id
    FROM topic_message
    WHERE subscriber = ?1
    ORDER BY message_id
    LIMIT ?2
)
RETURNING body;
