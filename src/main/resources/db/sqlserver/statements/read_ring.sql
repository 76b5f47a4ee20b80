-- read_ring: messages of the ring by sequence, with what is still owed.
-- Called by:   SqlserverReader.readRing.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_ring ?, ?;
