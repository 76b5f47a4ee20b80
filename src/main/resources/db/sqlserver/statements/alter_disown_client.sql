-- alter_disown_client: a client id is nobody's from now on.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; see procedures/alter_disown_client.sql.
-- Access path: see procedures/alter_disown_client.sql.
-- Changes:     one row or none.
EXECUTE ringtable.alter_disown_client @shard_id = ?, @epoch = ?, @client_id = ?;
