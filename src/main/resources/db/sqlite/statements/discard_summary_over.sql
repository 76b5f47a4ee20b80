-- discard_summary_over: removes the summary of an address whose backlog is empty.
-- Called by:   SqliteDiscard, if no row is left.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of backlog_summary.
-- Changes:     exactly one row.
DELETE FROM backlog_summary
WHERE address_id = ?1 AND messages = ?2;
