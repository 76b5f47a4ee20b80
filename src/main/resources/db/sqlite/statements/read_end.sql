-- read_end: ends a transaction that reads.
-- Called by:   SqliteReader, last in every read of more than one statement; SqliteSnapshot.
-- Locks:       none; reads one snapshot of the log.
-- Access path: none.
-- Changes:     nothing.
ROLLBACK;
