-- recover_backlog: the summaries of the backlog, one per address that has one.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of backlog_summary.
-- Changes:     nothing.
SELECT address_id, first_sequence, last_sequence, messages, bytes, first_expires_at, first_deliver_at
FROM backlog_summary
ORDER BY address_id;
