-- resign_lease: ends the lease at once.
-- Called by:   SqlserverRingStore.resign, at an orderly stop.
-- Locks:       the lease.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     exactly one row; else the caller is fenced.
EXECUTE ringtable.resign ?, ?;
