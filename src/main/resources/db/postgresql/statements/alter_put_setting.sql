-- alter_put_setting: adds a setting, or replaces it.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; the row of the setting.
-- Access path: primary key of setting.
-- Changes:     exactly one row.
INSERT INTO ringtable.setting (shard_id, kind, name, document, changed_by, changed_at)
VALUES (?, ?, ?, ?, ?, to_timestamp(?::bigint / 1000.0))
ON CONFLICT (shard_id, kind, name) DO UPDATE
SET document = excluded.document, changed_by = excluded.changed_by, changed_at = excluded.changed_at;
