-- discard_summary_read: the summary of one address.
-- Called by:   SqliteDiscard, before it deletes.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of backlog_summary.
-- Changes:     nothing.
SELECT address_id, first_sequence, last_sequence, messages, bytes, first_expires_at, first_deliver_at
FROM backlog_summary
WHERE address_id = ?1;
