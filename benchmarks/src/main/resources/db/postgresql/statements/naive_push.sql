-- naive_push: appends a message.
-- Called by:   NaiveWorkload, once per message and subscriber.
-- Locks:       a row lock on its own row.
-- Access path: appends to naive_queue and its primary key.
-- Changes:     exactly one row.
INSERT INTO naive_queue (time, message)
VALUES (?, ?);
