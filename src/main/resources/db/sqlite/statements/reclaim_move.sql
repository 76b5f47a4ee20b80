-- reclaim_move: copies into the backlog what live subscriptions still owe in one block.
-- Called by:   SqliteReclaim, for blocks whose references are not all settled.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of slot, a range; subscription and settlement by key.
-- Changes:     one row per message still owed.
INSERT INTO backlog (sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, reference_count,
                     pending, body_id, body_bytes, body, login_id)
SELECT m.sequence, m.address_id, m.published_at, m.priority, m.expires_at, m.deliver_at, m.group_no, count(*),
       sum(1 << s.bit), m.body_id, m.body_bytes, m.body, m.login_id
FROM slot AS m
CROSS JOIN subscription AS s
    ON s.address_id = m.address_id AND s.group_no = m.group_no AND s.from_sequence <= m.sequence
LEFT JOIN settlement AS l
    ON l.block = ?3 AND l.bit = s.bit
WHERE m.slot BETWEEN ?1 AND ?2
  AND m.pending >> s.bit & 1
  -- the bit of this sequence in the bitmap: its byte in hexadecimal, of that the digit, of that the bit
  AND (l.settled IS NULL OR NOT instr('123456789ABCDEF', substr(hex(substr(l.settled, m.sequence % 1024 / 8 + 1, 1)),
      2 - m.sequence % 8 / 4, 1)) >> m.sequence % 4 & 1)
GROUP BY m.slot;
