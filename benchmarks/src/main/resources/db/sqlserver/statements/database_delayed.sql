-- database_delayed: commits return before the log is written.
-- Called by:   SqlserverServer, once per database of a run that is not durable.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the database's setting, for all sessions.
ALTER DATABASE CURRENT SET DELAYED_DURABILITY = FORCED;
