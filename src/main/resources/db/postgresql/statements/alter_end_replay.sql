-- alter_end_replay: notes that everything has been copied for a subscription that began in the past.
-- Called by:   PostgresqlCatalog, once per change.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of replay.
-- Changes:     exactly one row.
UPDATE ringtable.replay
SET finished = true
WHERE shard_id = ? AND subscription_id = ?;
