-- read_orphans: bodies that no message names.
-- Called by:   PostgresqlReader.orphanedBodies, at recovery.
-- Locks:       none.
-- Access path: overflow_pk; the segments of the shard, whole; backlog_in_overflow.
-- Changes:     nothing.
SELECT DISTINCT o.body_id
FROM ringtable.overflow AS o
WHERE o.shard_id = ?
  AND o.body_id NOT IN (SELECT s.body_id
                        FROM ringtable.slot AS s
                        JOIN ringtable.segment AS g ON g.segment = s.segment
                        JOIN ringtable.shard AS h ON h.shard_id = g.shard_id
                        WHERE g.shard_id = o.shard_id AND s.sequence >= h.gate AND s.body_id IS NOT NULL)
  AND NOT EXISTS (SELECT FROM ringtable.backlog AS b WHERE b.shard_id = o.shard_id AND b.body_id = o.body_id)
ORDER BY o.body_id;
