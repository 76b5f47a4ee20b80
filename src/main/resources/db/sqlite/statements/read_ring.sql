-- read_ring: one message of the ring.
-- Called by:   SqliteReader.readRing, once per message.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of slot.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes,
       body, login_id
FROM slot
WHERE slot = ?1 AND sequence = ?2;
