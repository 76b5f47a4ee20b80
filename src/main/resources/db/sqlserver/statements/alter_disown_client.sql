-- alter_disown_client: a client id is nobody's from now on.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; a procedure of V005__client_owner.sql, which says it at its head.
-- Access path: a procedure of V005__client_owner.sql, which says it at its head.
-- Changes:     one row or none.
EXECUTE ringtable.disown_client ?, ?, ?;
