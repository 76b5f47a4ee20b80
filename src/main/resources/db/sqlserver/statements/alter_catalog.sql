-- alter_catalog: makes changes of the catalogue, in order, together.
-- Called by:   SqlserverCatalog.run.
-- Locks:       the owner row, then what is changed; a procedure of V002__verbs.sql, which says it at its head.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     what each change names.
EXECUTE ringtable.alter_catalog ?, ?, ?;
