-- recover_ring: the messages of one segment at or above the gate, in order, without their bodies.
-- Called by:   PostgresqlRecovery, once per segment.
-- Locks:       none.
-- Access path: one segment, whole; overflow_pk where a body lies there.
-- Changes:     nothing.
SELECT s.sequence, s.address_id, ringtable.ms(s.published_at), s.priority, ringtable.ms(s.expires_at),
       ringtable.ms(s.deliver_at), s.group_no, s.pending, coalesce(s.body_id, 0),
       coalesce(s.body_bytes, octet_length(s.body)), s.reference_count,
       s.body_id IS NULL
       OR coalesce((SELECT count(*) = max(o.chunks) AND sum(octet_length(o.data)) = s.body_bytes
                    FROM ringtable.segment AS g
                    JOIN ringtable.overflow AS o ON o.shard_id = g.shard_id
                    WHERE g.segment = s.segment AND o.body_id = s.body_id), false)
FROM ringtable.slot AS s
WHERE s.segment = ? AND s.sequence >= ?
ORDER BY s.sequence;
