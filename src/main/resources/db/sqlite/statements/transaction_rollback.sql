-- transaction_rollback: undoes the transaction.
-- Called by:   SqliteTransaction, after a writing verb has failed.
-- Locks:       releases the write lock of the file.
-- Access path: none.
-- Changes:     nothing.
ROLLBACK;
