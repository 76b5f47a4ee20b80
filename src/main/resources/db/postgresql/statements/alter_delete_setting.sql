-- alter_delete_setting: removes a setting.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; the row of the setting.
-- Access path: primary key of setting.
-- Changes:     exactly one row.
DELETE FROM ringtable.setting WHERE shard_id = ? AND kind = ? AND name = ?;
