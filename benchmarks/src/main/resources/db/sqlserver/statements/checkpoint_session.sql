-- checkpoint_session: ends indirect checkpoints, which write changed pages all the time.
-- Called by:   CheckpointSession, once per session.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the database's setting.
ALTER DATABASE CURRENT SET TARGET_RECOVERY_TIME = 0 SECONDS;
