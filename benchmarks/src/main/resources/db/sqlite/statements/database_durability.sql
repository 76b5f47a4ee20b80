-- database_durability: version, journal and durability of the connection.
-- Called by:   SqliteDatabase, once per run.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT sqlite_version(), j.journal_mode, s.synchronous
FROM pragma_journal_mode AS j, pragma_synchronous AS s;
