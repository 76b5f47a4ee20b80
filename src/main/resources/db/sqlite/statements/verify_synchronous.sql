-- verify_synchronous: how the connection really syncs; it must be 2 (FULL).
-- Called by:   SqliteDialect.verify, when the store is opened.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
PRAGMA synchronous;
