-- ring_overview: who owns the ring, how full it is, and how long the lease still runs.
-- Called by:   people, on a running broker's database.
-- Locks:       ACCESS SHARE on the segments, shortly.
-- Access path: the whole ring.
-- Changes:     nothing.
SELECT h.shard_id,
       h.epoch,
       l.node,
       l.renewed_at,
       l.renewed_at + l.lease_ms * interval '1 millisecond' - clock_timestamp() AS lease_left,
       h.capacity,
       h.gate,
       n.next,
       h.gate + h.capacity - n.next AS room,
       h.dispatch_bound
FROM ringtable.shard AS h
LEFT JOIN ringtable.lease AS l ON l.shard_id = h.shard_id
CROSS JOIN LATERAL (SELECT greatest(h.gate, coalesce(max(s.sequence) + 1, 0)) AS next
                    FROM ringtable.slot AS s
                    JOIN ringtable.segment AS g ON g.segment = s.segment
                    WHERE g.shard_id = h.shard_id) AS n
ORDER BY h.shard_id;
