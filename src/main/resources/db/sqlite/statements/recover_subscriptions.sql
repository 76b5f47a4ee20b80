-- recover_subscriptions: every subscription.
-- Called by:   SqliteRecovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of subscription.
-- Changes:     nothing.
SELECT subscription_id, address_id, client_id, name, group_no, bit, from_sequence, coalesce(dispatched_to, -1),
       selector, no_local, shared
FROM subscription
ORDER BY subscription_id;
