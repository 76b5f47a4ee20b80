-- lay_ring: lays the next portion of a new ring.
-- Called by:   SqlserverWriter.lay, until it answers 0.
-- Locks:       the owner row, then the new slots; a procedure of V002__verbs.sql, which says it at its head.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     2,048 slots; answers how many are left.
EXECUTE ringtable.lay_ring ?, ?, ?, ?;
