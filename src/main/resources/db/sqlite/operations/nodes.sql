-- nodes: which node has the file, what it does, and when it last wrote so: once a minute, or with a change.
-- Called by:   people; also on a running broker's file, best on a copy (see db/README.md).
-- Locks:       none; reads one snapshot of the log.
-- Access path: node and shard, each read once.
-- Changes:     nothing.
SELECT n.node_id,
       n.description,
       n.version,
       n.state,
       n.url,
       datetime(n.seen_at / 1000, 'unixepoch') AS seen_at,
       (SELECT group_concat(h.next_id >> 40, ', ') FROM shard AS h WHERE h.node_id = n.node_id) AS shards
FROM node AS n
ORDER BY n.description, n.node_id;
