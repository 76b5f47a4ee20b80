-- unstage_bodies: deletes bodies that nobody owes any more.
-- Called by:   SqlserverRingStore.unstage.
-- Locks:       the lease, and at most 31 chunks at a time.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     every chunk of the bodies.
EXECUTE ringtable.unstage ?, ?, ?;
