-- acquire_owner: makes the caller the owner under an epoch never given before; makes the owner row of a new file.
-- Called by:   SqliteWriter.acquire, SqliteRestore.own; the lock of the file has been taken before.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of shard.
-- Changes:     exactly one row; answers its epoch, capacity and next id.

-- The epoch is the milliseconds of the clock, or one more than before where the clock was set back, and behind them 20
-- random bits: two copies of one file take different epochs even in the same millisecond (ADR 33).
INSERT INTO shard (shard_id, epoch, node_id, node, acquired_at, capacity, gate, dispatch_bound, next_id)
VALUES (0, (CAST(unixepoch('subsec') * 1000 AS INTEGER) << 20) | (random() & 1048575), ?1, ?2,
        CAST(unixepoch('subsec') * 1000 AS INTEGER), 0, 0, -1, 0)
ON CONFLICT (shard_id) DO UPDATE
    SET epoch = (max((epoch >> 20) + 1, excluded.acquired_at) << 20) | (random() & 1048575),
        node_id = excluded.node_id, node = excluded.node, acquired_at = excluded.acquired_at
RETURNING epoch, capacity, next_id;
