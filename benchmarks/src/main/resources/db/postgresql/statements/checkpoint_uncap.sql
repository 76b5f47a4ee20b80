-- checkpoint_uncap: lets checkpoints leave all writing to the sync at their end.
-- Called by:   Uncapped, before a measurement.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the server's settings.
ALTER SYSTEM SET checkpoint_flush_after = 0;
