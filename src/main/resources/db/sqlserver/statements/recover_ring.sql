-- recover_ring: a stretch of slots, in order, without bodies.
-- Called by:   SqlserverRecovery, a portion at a time.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.recover_ring ?, ?, ?;
