-- read_begin: begins a transaction that reads; its snapshot is taken by the first SELECT.
-- Called by:   SqliteReader, first in every read of more than one statement; SqliteSnapshot.
-- Locks:       none; reads one snapshot of the log.
-- Access path: none.
-- Changes:     nothing.
BEGIN;
