-- flush_inbox: makes one batch durable that has messages of the inbox in it, and deletes their rows.
-- Called by:   SqlserverFlush.run, for such a batch in place of flush.
-- Locks:       as flush, then the claimed rows of the inbox; see the head of the procedure in V003__inbox.sql.
-- Access path: as flush; inbox_pk.
-- Changes:     one row per message, block and bit, and each row of the inbox that is named, or nothing.
EXECUTE ringtable.flush_inbox ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?;
