-- flush_inbox: makes one batch durable that has messages of the inbox in it, and deletes their rows.
-- Called by:   SqlserverFlush.run, for such a batch in place of flush.
-- Locks:       as flush, then the rows of the inbox that are claimed; a procedure of V003__inbox.sql, which says it at its head.
-- Access path: as flush; inbox_pk.
-- Changes:     one row per message, block and bit, and each row of the inbox that is named, or nothing.
EXECUTE ringtable.flush_inbox ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?;
