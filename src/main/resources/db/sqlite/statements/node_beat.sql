-- node_beat: says that the node is there, and what it does.
-- Called by:   SqliteNodeTable.beat, when the row says something else, or once a minute.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of node.
-- Changes:     exactly one row.
INSERT INTO node (node_id, run_id, description, version, state, url, lease_ms, seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER))
ON CONFLICT (node_id) DO UPDATE
    SET run_id = excluded.run_id, description = excluded.description, version = excluded.version,
        state = excluded.state, url = excluded.url, lease_ms = excluded.lease_ms, seen_at = excluded.seen_at;
