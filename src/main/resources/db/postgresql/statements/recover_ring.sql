-- recover_ring: the messages of one segment at or above the gate, in order, without their bodies.
-- Called by:   PostgresqlRecovery, once per segment.
-- Locks:       none.
-- Access path: one segment, whole.
-- Changes:     nothing.
SELECT sequence, address_id, ringtable.ms(published_at), priority, ringtable.ms(expires_at), ringtable.ms(deliver_at),
       group_no, pending, coalesce(body_id, 0), coalesce(body_bytes, octet_length(body))
FROM ringtable.slot
WHERE segment = ? AND sequence >= ?
ORDER BY sequence;
