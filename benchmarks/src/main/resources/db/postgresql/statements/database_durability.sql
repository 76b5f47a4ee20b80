-- database_durability: the settings that decide what a commit costs.
-- Called by:   PostgresServer, once per run.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT name, current_setting(name)
FROM pg_settings
WHERE name IN ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'wal_level',
               'shared_buffers', 'max_wal_size', 'checkpoint_timeout', 'autovacuum')
ORDER BY name = 'server_version' DESC, name;
