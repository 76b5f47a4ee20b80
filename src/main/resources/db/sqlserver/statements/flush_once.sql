-- flush_once: makes one batch durable with messages that are stored once, and what says so.
-- Called by:   SqlserverFlush.run, for such a batch in place of flush.
-- Locks:       as flush and flush_inbox, then rows of producers and ids; see the procedure in V004__once.sql.
-- Access path: as flush and flush_inbox; producer_pk, duplicate_id_pk.
-- Changes:     as flush and flush_inbox, and one row per producer and id, or nothing.
EXECUTE ringtable.flush_once ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?;
