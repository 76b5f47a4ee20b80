-- node_read: every node that is there or was within the last day, and how long ago it was seen.
-- Called by:   SqliteNodeTable.beat, before the node writes its own row.
-- Locks:       none; reads one snapshot of the log.
-- Access path: node, whole: a row for each node.
-- Changes:     nothing.
SELECT node_id, run_id, description, version, state, url, lease_ms,
       CAST(unixepoch('subsec') * 1000 AS INTEGER) - seen_at AS age_ms
FROM node
ORDER BY node_id;
