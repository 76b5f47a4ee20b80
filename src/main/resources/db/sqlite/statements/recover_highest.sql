-- recover_highest: highest sequence in any slot: no message may stand beyond a hole.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of slot.
-- Changes:     nothing.
SELECT max(sequence), count(*)
FROM slot;
