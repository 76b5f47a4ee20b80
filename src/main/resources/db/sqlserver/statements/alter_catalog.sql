-- alter_catalog: makes changes of the catalogue, in order, together.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; see procedures/alter_catalog.sql.
-- Access path: see procedures/alter_catalog.sql.
-- Changes:     what each change names.
EXECUTE ringtable.alter_catalog @shard_id = ?, @epoch = ?, @changes = ?;
