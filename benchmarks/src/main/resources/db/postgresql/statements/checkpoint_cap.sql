-- checkpoint_cap: lets checkpoints write as many pages at a time as the server's administrator wants.
-- Called by:   Uncapped, after a measurement.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the server's settings.
ALTER SYSTEM RESET checkpoint_flush_after;
