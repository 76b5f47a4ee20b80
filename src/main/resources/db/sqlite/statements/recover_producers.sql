-- recover_producers: every producer.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of producer.
-- Changes:     nothing.
SELECT producer_id, address_id, name, incarnation, last_number, used_at, owner
FROM producer
ORDER BY producer_id;
