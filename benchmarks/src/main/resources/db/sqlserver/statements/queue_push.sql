-- queue_push: appends a message.
-- Called by:   NaiveSender, once per message.
-- Locks:       a row lock on its own row.
-- Access path: appends to queue_message.
-- Changes:     exactly one row.
INSERT INTO dbo.queue_message (body)
VALUES (?);
