-- alter_create_login: adds a login by which messages will be published.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then the new row; see procedures/alter_create_login.sql.
-- Access path: see procedures/alter_create_login.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.alter_create_login @shard_id = ?, @epoch = ?, @login_id = ?, @kind = ?, @name = ?;
