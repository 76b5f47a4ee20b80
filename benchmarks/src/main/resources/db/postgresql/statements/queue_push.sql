-- queue_push: appends a message.
-- Called by:   NaiveSender, once per message.
-- Locks:       a row lock on its own row.
-- Access path: appends to queue_message and its primary key.
-- Changes:     exactly one row.
INSERT INTO queue_message (body)
VALUES (?);
