-- node_beat: says that the node is there, and what it does.
-- Called by:   ServerNodeTable.beat, by timer, on a connection of its own.
-- Locks:       exclusive on the row of the node; waits for no flush and no renewal.
-- Access path: primary key of node.
-- Changes:     exactly one row.
INSERT INTO ringtable.node (node_id, run_id, description, version, state, url, lease_ms, seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?, clock_timestamp())
ON CONFLICT (node_id) DO UPDATE
    SET run_id = excluded.run_id, description = excluded.description, version = excluded.version,
        state = excluded.state, url = excluded.url, lease_ms = excluded.lease_ms, seen_at = excluded.seen_at;
