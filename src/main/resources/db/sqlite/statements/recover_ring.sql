-- recover_ring: slots from one slot to another with everything but the bodies, in order.
-- Called by:   SqliteRecovery: from the slot of the gate to the last, then from 0.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of slot, a range.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes,
       slot
FROM slot
WHERE slot >= ?1 AND slot < ?2
ORDER BY slot;
