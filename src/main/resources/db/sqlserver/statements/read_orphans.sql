-- read_orphans: bodies that no message names.
-- Called by:   SqlserverReader.orphanedBodies, at recovery.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_orphans ?;
