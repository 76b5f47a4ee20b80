-- queue_push: appends a message.
-- Called by:   NaiveSender, once per message.
-- Locks:       the write lock of the transaction.
-- Access path: appends to queue_message.
-- Changes:     exactly one row.
INSERT INTO queue_message (body)
VALUES (?1);
