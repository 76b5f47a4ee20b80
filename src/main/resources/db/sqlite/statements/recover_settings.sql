-- recover_settings: what administrators have set at run time.
-- Called by:   SqliteRecovery; SqliteReader.readSettings.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of setting.
-- Changes:     nothing.
SELECT kind, name, document, changed_by, changed_at
FROM setting
ORDER BY kind, name;
