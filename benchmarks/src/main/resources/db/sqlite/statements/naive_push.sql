-- naive_push: appends a message.
-- Called by:   NaiveWorkload, once per message and subscriber.
-- Locks:       the write lock of the transaction.
-- Access path: appends to naive_queue.
-- Changes:     exactly one row.
INSERT INTO naive_queue (time, message)
VALUES (?1, ?2);
