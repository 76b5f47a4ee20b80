-- naive_pop: deletes as many of the first messages as asked for.
-- Called by:   NaiveWorkload, once per commit.
-- Locks:       the write lock of the transaction.
-- Access path: primary key of naive_queue, its first entries.
-- Changes:     exactly as many rows as asked for.
DELETE FROM naive_queue
WHERE message_id IN (SELECT message_id FROM naive_queue ORDER BY message_id LIMIT ?1);
