-- transaction_begin: begins a writing transaction at once, so that it cannot fail half-way on the lock.
-- Called by:   SqliteTransaction, first in every writing verb.
-- Locks:       takes the write lock of the file.
-- Access path: none.
-- Changes:     nothing.
BEGIN IMMEDIATE;
