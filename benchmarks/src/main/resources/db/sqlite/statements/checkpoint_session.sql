-- checkpoint_session: leaves every checkpoint to the suite.
-- Called by:   CheckpointSession, once per session.
-- Locks:       none.
-- Access path: none.
-- Changes:     the session's setting.
PRAGMA wal_autocheckpoint = 0;
