-- naive_push: appends a message.
-- Called by:   NaiveWorkload, once per message and subscriber.
-- Locks:       a row lock on its own row.
-- Access path: the end of the clustered key of naive_queue.
-- Changes:     exactly one row.
INSERT INTO dbo.naive_queue (message_id, time, message)
VALUES (NEXT VALUE FOR dbo.naive_sequence, ?, ?);
