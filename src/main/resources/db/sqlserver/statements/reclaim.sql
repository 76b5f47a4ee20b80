-- reclaim: moves what is owed in a stretch of the ring to the backlog and raises the gate.
-- Called by:   SqlserverWriter.reclaim.
-- Locks:       the owner row, then portions of 1,024 rows; a procedure of V002__verbs.sql, which says it at its head.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     backlog, ledger, summaries, gate; answers the summaries that grew.
EXECUTE ringtable.reclaim ?, ?, ?, ?, ?;
