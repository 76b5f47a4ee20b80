-- stage_chunk: stores a chunk of a large body before the flush that claims its message.
-- Called by:   SqlserverRingStore.stage, once per MiB.
-- Locks:       the lease, and the new row; waits for no flush.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     exactly one row.
EXECUTE ringtable.stage ?, ?, ?, ?, ?, ?;
