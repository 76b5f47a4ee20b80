-- alter_put_setting: adds a setting, or replaces it.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; see procedures/alter_put_setting.sql.
-- Access path: see procedures/alter_put_setting.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.alter_put_setting @shard_id = ?, @epoch = ?, @kind = ?, @name = ?, @document = ?, @changed_by = ?,
    @changed_at = ?;
