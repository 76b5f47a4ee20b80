-- alter_subscribe: adds a subscription; -1 stands for no bound of its own.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: appends; keys of subscription.
-- Changes:     exactly one row.
INSERT INTO ringtable.subscription (shard_id, subscription_id, address_id, client_id, name, group_no, bit,
        from_sequence,
                                    dispatched_to, selector, no_local, shared)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?::bigint, -1), ?, ?, ?);
