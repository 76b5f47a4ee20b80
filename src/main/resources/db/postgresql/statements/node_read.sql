-- node_read: every node that is there or was within the last day, and how long ago it was seen.
-- Called by:   ServerNodeTable.beat, before the node writes its own row.
-- Locks:       none.
-- Access path: node, whole: a row for each node.
-- Changes:     nothing.
SELECT node_id, run_id, description, version, state, url, lease_ms,
       floor(extract(epoch FROM clock_timestamp() - seen_at) * 1000)::bigint AS age_ms
FROM ringtable.node
ORDER BY node_id;
