-- alter_forget_replay: removes the replay of a subscription, before it goes.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of replay.
-- Changes:     one row, or none if the subscription began with what came next.
DELETE FROM ringtable.replay
WHERE shard_id = ? AND subscription_id = ?;
