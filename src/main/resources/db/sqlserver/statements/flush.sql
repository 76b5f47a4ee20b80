-- flush: makes one batch durable, commit included.
-- Called by:   SqlserverFlush.run, once per batch.
-- Locks:       the owner row, then one key per claim and settlement; see the head of the procedure in V002__verbs.sql.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     exactly one row per claim and per settlement; answers nothing.
EXECUTE ringtable.flush ?, ?, ?, ?, ?, ?, ?, ?, ?, ?;
