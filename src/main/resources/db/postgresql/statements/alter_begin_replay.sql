-- alter_begin_replay: notes from where on a subscription that begins in the past gets copies.
-- Called by:   PostgresqlCatalog, once per change, with the subscription.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: appends; primary key of replay.
-- Changes:     exactly one row.
INSERT INTO ringtable.replay (shard_id, subscription_id, position, finished)
VALUES (?, ?, ?, false);
