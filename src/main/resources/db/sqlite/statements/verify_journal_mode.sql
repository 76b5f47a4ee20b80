-- verify_journal_mode: journal mode that the connection really has; it must be wal.
-- Called by:   SqliteDialect.verify, when the store is opened.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
PRAGMA journal_mode;
