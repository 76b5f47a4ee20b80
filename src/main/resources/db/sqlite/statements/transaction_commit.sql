-- transaction_commit: makes the transaction durable: returns after the log has been synced.
-- Called by:   SqliteTransaction, last in every writing verb.
-- Locks:       releases the write lock of the file.
-- Access path: none.
-- Changes:     nothing by itself.
COMMIT;
