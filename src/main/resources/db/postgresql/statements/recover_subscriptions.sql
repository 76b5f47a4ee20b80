-- recover_subscriptions: every subscription.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of subscription.
-- Changes:     nothing.
SELECT subscription_id, address_id, client_id, name, group_no, bit, from_sequence, coalesce(dispatched_to, -1),
        selector,
       no_local, shared
FROM ringtable.subscription
WHERE shard_id = ?
ORDER BY subscription_id;
