-- recover_ring: slots from one slot to another with everything but the bodies, in order.
-- Called by:   SqliteRecovery: from the slot of the gate to the last, then from 0.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of slot, a range; of overflow only where a body lies there.
-- Changes:     nothing.
SELECT m.sequence, m.address_id, m.published_at, m.priority, m.expires_at, m.deliver_at, m.group_no, m.pending,
       m.body_id, m.body_bytes, m.reference_count,
       CASE m.body_id
           WHEN 0 THEN 1
           ELSE coalesce((SELECT count(*) = max(o.chunks) AND sum(length(o.data)) = m.body_bytes
                          FROM overflow AS o
                          WHERE o.body_id = m.body_id), 0)
       END,
       m.slot
FROM slot AS m
WHERE m.slot >= ?1 AND m.slot < ?2
ORDER BY m.slot;
