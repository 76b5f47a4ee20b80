-- discard_summary: takes what was deleted off the summary of the address.
-- Called by:   SqliteDiscard, if rows are left.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of backlog_summary; indexes of backlog for first, last and due.
-- Changes:     exactly one row; answers it as it is now.
UPDATE backlog_summary
SET first_sequence = (SELECT min(sequence) FROM backlog WHERE address_id = ?1),
    last_sequence = (SELECT max(sequence) FROM backlog WHERE address_id = ?1),
    messages = messages - ?2,
    bytes = bytes - ?3,
    first_expires_at = coalesce((SELECT min(expires_at) FROM backlog WHERE address_id = ?1 AND expires_at > 0), 0),
    first_deliver_at = coalesce((SELECT min(deliver_at) FROM backlog WHERE address_id = ?1 AND deliver_at > 0), 0)
WHERE address_id = ?1
RETURNING address_id, first_sequence, last_sequence, messages, bytes, first_expires_at, first_deliver_at;
