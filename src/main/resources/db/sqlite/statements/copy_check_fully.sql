-- copy_check_fully: as copy_check, and looks each row up in every index of its table.
-- Called by:   SqliteCopy.seal, for a store that is restored.
-- Locks:       reads a file that nobody else has open.
-- Access path: every table and index, and the indexes once more row by row.
-- Changes:     nothing.
PRAGMA integrity_check(1);
