-- read_backlog_ledger: the ledger of an address's backlog.
-- Called by:   SqlserverReader.readBacklogLedger.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog_ledger ?, ?;
