-- read_backlog_facts: messages of an address in the backlog that named a bit when they were moved, without bodies.
-- Called by:   SqlserverReader.readBacklogFacts.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog_facts ?, ?, ?, ?, ?, ?;
