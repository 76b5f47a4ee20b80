-- copy_check: reads every page and row of a copy, and answers "ok" or what is wrong first.
-- Called by:   SqliteCopy.seal, for a backup.
-- Locks:       reads a file that nobody else has open.
-- Access path: every table and index once, in order.
-- Changes:     nothing.
PRAGMA quick_check(1);
