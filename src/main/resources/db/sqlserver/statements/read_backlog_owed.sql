-- read_backlog_owed: how many messages of a stretch of a backlog each subscription still owes.
-- Called by:   SqlserverReader.countBacklog.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog_owed ?, ?, ?, ?;
