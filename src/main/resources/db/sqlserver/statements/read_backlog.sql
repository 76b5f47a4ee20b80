-- read_backlog: messages of an address in the backlog that a bit still owes.
-- Called by:   SqlserverReader.readBacklog, a portion at a time.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog ?, ?, ?, ?, ?, ?;
