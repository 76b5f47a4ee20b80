-- recover_highest: the highest sequence in the ring; none if it is empty.
-- Called by:   PostgresqlFlush, before the first claims of a connection that has not recovered.
-- Locks:       none.
-- Access path: the segments of the shard, whole.
-- Changes:     nothing.
SELECT coalesce(max(s.sequence) + 1, h.gate)
FROM ringtable.shard AS h
LEFT JOIN ringtable.segment AS g ON g.shard_id = h.shard_id
LEFT JOIN ringtable.slot AS s ON s.segment = g.segment AND s.sequence >= h.gate
WHERE h.shard_id = ?
GROUP BY h.gate;
