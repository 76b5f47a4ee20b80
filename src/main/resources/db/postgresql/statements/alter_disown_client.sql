-- alter_disown_client: a client id is nobody's from now on.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; the client id's row.
-- Access path: primary key of client_owner.
-- Changes:     one row, or none if it is nobody's already.
DELETE FROM ringtable.client_owner WHERE shard_id = ? AND client_id = ?;
