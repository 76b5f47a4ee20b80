-- read_body: the chunks of a body, in order.
-- Called by:   SqlserverReader.readBody.
-- Locks:       none that outlasts a row.
-- Access path: a procedure of V002__verbs.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_body ?, ?;
