-- nodes: which nodes there are, what each does, which shards it owns, and when it was last seen.
-- Called by:   people, on a running broker's database.
-- Locks:       none.
-- Access path: node and lease, each read once: a row for each node, and one for each shard.
-- Changes:     nothing.
SELECT n.node_id,
       n.description,
       n.version,
       CASE WHEN n.seen_at + n.lease_ms * interval '1 millisecond' < clock_timestamp() THEN 'LOST' ELSE n.state END
           AS state,
       n.url,
       clock_timestamp() - n.seen_at AS seen_ago,
       (SELECT string_agg(l.shard_id::text, ', ' ORDER BY l.shard_id)
        FROM ringtable.lease AS l
        WHERE l.node_id = n.node_id AND l.renewed_at + l.lease_ms * interval '1 millisecond' > clock_timestamp())
           AS shards
FROM ringtable.node AS n
ORDER BY n.description, n.node_id;
