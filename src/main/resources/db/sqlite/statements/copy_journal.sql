-- copy_journal: makes a copy one file, without a log beside it; the broker that opens it turns it to a log again.
-- Called by:   SqliteCopy.seal, when all pages are copied.
-- Locks:       the whole file, which nobody else has open.
-- Access path: none.
-- Changes:     the header of the file; answers the journal mode, "delete".
PRAGMA journal_mode = DELETE;
