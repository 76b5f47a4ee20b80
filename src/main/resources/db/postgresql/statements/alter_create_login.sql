-- alter_create_login: adds a login by which messages will be published.
-- Called by:   PostgresqlCatalog, once per login.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: appends; primary key of login.
-- Changes:     exactly one row.
INSERT INTO ringtable.login (shard_id, login_id, kind, name)
VALUES (?, ?, ?, ?);
