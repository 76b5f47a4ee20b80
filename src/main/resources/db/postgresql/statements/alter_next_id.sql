-- alter_next_id: keeps an id from ever being given again.
-- Called by:   PostgresqlCatalog, once per address or subscription.
-- Locks:       the owner row, by check_owner; row locks.
-- Access path: primary key of shard.
-- Changes:     exactly one row.
UPDATE ringtable.shard
SET next_id = greatest(next_id, ?::bigint + 1)
WHERE shard_id = ?;
