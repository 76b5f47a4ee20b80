-- verify_version: version of the SQLite library that is linked.
-- Called by:   SqliteDialect.verify, when the store is opened.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT sqlite_version();
