-- recover_client_owners: whose client ids are.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V005__client_owner.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.recover_client_owners ?;
