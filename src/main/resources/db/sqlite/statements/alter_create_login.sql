-- alter_create_login: adds a login by which messages will be published.
-- Called by:   SqliteCatalog, once per login.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: appends; primary key of login.
-- Changes:     exactly one row.
INSERT INTO login (login_id, kind, name)
VALUES (?1, ?2, ?3);
