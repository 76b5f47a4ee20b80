-- reclaim_lay: lays the slots of a block anew, each with the sequence that it had, which the next claim supersedes.
-- Called by:   SqliteGrowth, after reclaim_clear, for a block that the gate passes in the same transaction.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: inserts a range into slot.
-- Changes:     exactly one row per slot of the block; the body leaves the room that a small message takes.
-- Nobody reads a row below the gate: the reference is there because a claimed slot has one.
INSERT INTO slot (slot, sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, reference_count,
                  pending, body_id, body_bytes, body, login_id)
WITH RECURSIVE ring (slot) AS (
    SELECT ?1
    UNION ALL
    SELECT slot + 1 FROM ring WHERE slot < ?2
)
SELECT slot, slot - ?1 + ?3, 0, 0, 0, 0, 0, 0, 1, 0, 0, ?4, zeroblob(?4), 0
FROM ring;
