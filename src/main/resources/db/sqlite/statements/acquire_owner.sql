-- acquire_owner: makes the caller the owner under an epoch never given before; makes the owner row of a new file.
-- Called by:   SqliteWriter.acquire; the lock of the file has been taken before.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of shard.
-- Changes:     exactly one row; answers its epoch.
INSERT INTO shard (shard_id, epoch, node_id, node, acquired_at, capacity, gate, dispatch_bound, next_id)
VALUES (0, CAST(unixepoch('subsec') * 1000 AS INTEGER), ?1, ?2, CAST(unixepoch('subsec') * 1000 AS INTEGER), 0, 0,
        -1, 0)
ON CONFLICT (shard_id) DO UPDATE
    SET epoch = max(epoch + 1, excluded.acquired_at), node_id = excluded.node_id, node = excluded.node,
        acquired_at = excluded.acquired_at
RETURNING epoch;
