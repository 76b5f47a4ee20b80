-- recover_redeliveries: every stored failed delivery.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of redelivery.
-- Changes:     nothing.
SELECT sequence, subscription_id, count, not_before
FROM redelivery
ORDER BY sequence, subscription_id;
