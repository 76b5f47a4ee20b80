-- nodes: which nodes there are, what each does, which shards it owns, and when it was last seen.
-- Called by:   people, on a running broker's database.
-- Locks:       shared, row by row.
-- Access path: node_pk and lease_pk, each read once: a row for each node, and one for each shard.
-- Changes:     nothing.
-- Look for:    LOST (the node died, or cannot reach this database), FAILED (it serves nobody until it is restarted).
SELECT n.node_id,
       n.description,
       n.version,
       CASE WHEN DATEDIFF_BIG(MILLISECOND, n.seen_at, SYSUTCDATETIME()) > n.lease_ms THEN 'LOST' ELSE n.state END
           AS state,
       n.url,
       DATEDIFF_BIG(MILLISECOND, n.seen_at, SYSUTCDATETIME()) AS seen_ago_ms,
       (SELECT STRING_AGG(CAST(l.shard_id AS VARCHAR(10)), ', ')
        FROM ringtable.lease AS l
        WHERE l.node_id = n.node_id AND l.lease_ms > DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME()))
           AS shards
FROM ringtable.node AS n
ORDER BY n.description, n.node_id;
