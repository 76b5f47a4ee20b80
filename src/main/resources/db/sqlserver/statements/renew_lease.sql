-- renew_lease: begins the lease anew.
-- Called by:   SqlserverRingStore.renew, by timer.
-- Locks:       the lease; waits for no flush.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     exactly one row; else the caller is fenced.
EXECUTE ringtable.renew ?, ?;
