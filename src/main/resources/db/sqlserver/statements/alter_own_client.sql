-- alter_own_client: says whose a client id is from now on.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; a procedure of V005__client_owner.sql, which says it at its head.
-- Access path: a procedure of V005__client_owner.sql, which says it at its head.
-- Changes:     exactly one row.
EXECUTE ringtable.own_client ?, ?, ?, ?;
