-- ring_overview: who owns the ring, how full it is, and how long the lease still runs.
-- Called by:   people, on a running broker's database.
-- Locks:       shared, row by row; without READ_COMMITTED_SNAPSHOT it waits for a flush now and then.
-- Access path: slot_pk, the whole ring, once.
-- Changes:     nothing.
-- Look for:    lease_left_ms below 0 (no broker alive), room near 0 for long (publishers wait: backlog_by_address).
SELECT h.shard_id,
       h.epoch,
       l.node,
       l.renewed_at,
       l.lease_ms - DATEDIFF_BIG(MILLISECOND, l.renewed_at, SYSUTCDATETIME()) AS lease_left_ms,
       h.capacity,
       h.gate,
       n.next_sequence,
       h.gate + h.capacity - n.next_sequence AS room,
       h.dispatch_bound,
       h.slot_bytes
FROM ringtable.shard AS h
LEFT JOIN ringtable.lease AS l ON l.shard_id = h.shard_id
CROSS APPLY (SELECT CASE WHEN MAX(s.sequence) >= h.gate THEN MAX(s.sequence) + 1 ELSE h.gate END AS next_sequence
             FROM ringtable.slot AS s
             WHERE s.shard_id = h.shard_id) AS n
ORDER BY h.shard_id;
