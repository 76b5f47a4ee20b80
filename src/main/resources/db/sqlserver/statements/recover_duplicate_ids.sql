-- recover_duplicate_ids: every id that is kept.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.recover_duplicate_ids ?;
