-- queue_pop: takes the first messages out.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       the write lock of the transaction.
-- Access path: primary key of queue_message, its first entries.
-- Changes:     at most as many rows as asked for.
DELETE FROM queue_message
WHERE message_id IN (SELECT message_id FROM queue_message ORDER BY message_id LIMIT ?1)
RETURNING body;
