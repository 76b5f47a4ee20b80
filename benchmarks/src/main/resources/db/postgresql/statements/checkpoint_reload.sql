-- checkpoint_reload: lets the server read its settings.
-- Called by:   Uncapped, after each change of a setting.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT pg_reload_conf();
