-- discard: deletes what nobody owes any more from the backlog of an address.
-- Called by:   SqlserverWriter.discard.
-- Locks:       the owner row, then the deleted rows; a procedure of V002__verbs.sql, which says it at its head.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     backlog, its ledger and its summary; answers the summary.
EXECUTE ringtable.discard ?, ?, ?, ?, ?;
