-- session_delayed: commits return before the log is written.
-- Called by:   PostgresServer, once per session of a run that is not durable.
-- Locks:       none.
-- Access path: none.
-- Changes:     the session's setting.
SET synchronous_commit = off;
