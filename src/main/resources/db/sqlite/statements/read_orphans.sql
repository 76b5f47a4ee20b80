-- read_orphans: large bodies that neither a message in the ring nor one in the backlog names.
-- Called by:   SqliteReader.orphanedBodies, at recovery.
-- Locks:       none; reads one snapshot of the log.
-- Access path: index of overflow_pk, its positive ids; the whole of slot once; index backlog_in_overflow.
-- Changes:     nothing.

-- Earlier versions gave negative ids in some weeks. The index does not tell who names such a body: it stays.
SELECT DISTINCT o.body_id
FROM overflow AS o
WHERE o.body_id > 0
  AND o.body_id NOT IN (
    SELECT m.body_id
    FROM shard AS h
    CROSS JOIN slot AS m
    WHERE m.sequence >= h.gate AND m.body_id > 0)
  AND NOT EXISTS (SELECT 1 FROM backlog AS b WHERE b.body_id = o.body_id AND b.body_id > 0)
ORDER BY o.body_id;
