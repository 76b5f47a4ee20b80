-- flush_inbox: makes one batch durable that has something of the inbox in it, and deletes its rows.
-- Called by:   PostgresqlFlush, for such a batch in place of flush, in auto-commit: one round trip, commit included.
-- Locks:       READ COMMITTED; the owner row, the rows of the ledger, the rows of the inbox that are taken over.
-- Access path: as flush; inbox_pk.
-- Changes:     one row per message, block and bit, and each row of the inbox that is named, or nothing.
SELECT ringtable.flush_inbox(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
