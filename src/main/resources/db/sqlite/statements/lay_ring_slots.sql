-- lay_ring_slots: lays the ring: slot s holds sequence s - capacity, which the first lap supersedes.
-- Called by:   SqliteWriter.lay, once in the life of a file.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: appends to slot.
-- Changes:     exactly one row per slot; the body leaves the room that a small message takes.
INSERT INTO slot (slot, sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, reference_count,
                  pending, body_id, body_bytes, body, login_id)
WITH RECURSIVE ring (slot) AS (
    SELECT 0
    UNION ALL
    SELECT slot + 1 FROM ring WHERE slot + 1 < ?1
)
SELECT slot, slot - ?1, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?2, zeroblob(?2), 0
FROM ring;
