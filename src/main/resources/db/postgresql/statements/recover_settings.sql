-- recover_settings: what administrators have set at run time.
-- Called by:   PostgresqlRecovery, once per ownership; PostgresqlReader.readSettings, by nodes without shard 0.
-- Locks:       none.
-- Access path: primary key of setting.
-- Changes:     nothing.
SELECT kind, name, document, changed_by, ringtable.ms(changed_at)
FROM ringtable.setting
WHERE shard_id = ?
ORDER BY kind, name;
