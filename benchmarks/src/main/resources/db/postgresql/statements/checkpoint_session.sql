-- checkpoint_session: lets a scan of the whole table begin with its first page.
-- Called by:   CheckpointSession, once per session.
-- Locks:       none.
-- Access path: none.
-- Changes:     the session's setting.
SET synchronize_seqscans = off;
