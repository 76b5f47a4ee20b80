-- database_dirty: pages that are changed and not yet written.
-- Called by:   ServerMeter, at the ends of a run.
-- Locks:       none: it looks at each buffer without its lock.
-- Access path: all buffers.
-- Changes:     nothing.
SELECT buffers_dirty FROM pg_buffercache_summary();
