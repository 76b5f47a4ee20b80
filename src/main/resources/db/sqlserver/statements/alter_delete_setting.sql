-- alter_delete_setting: removes a setting.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; see procedures/alter_delete_setting.sql.
-- Access path: see procedures/alter_delete_setting.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.alter_delete_setting @shard_id = ?, @epoch = ?, @kind = ?, @name = ?;
