-- alter_own_client: says whose a client id is from now on.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; see procedures/alter_own_client.sql.
-- Access path: see procedures/alter_own_client.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.alter_own_client @shard_id = ?, @epoch = ?, @client_id = ?, @owner = ?;
