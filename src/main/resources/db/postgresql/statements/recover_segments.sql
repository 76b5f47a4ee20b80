-- recover_segments: the segments that the gate has not passed, in order.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: segment_holds_one_stretch.
-- Changes:     nothing.
SELECT g.segment
FROM ringtable.segment AS g
JOIN ringtable.shard AS h ON h.shard_id = g.shard_id
WHERE g.shard_id = ? AND (g.ordinal + 1) * (h.capacity / 8) > h.gate
ORDER BY g.ordinal;
