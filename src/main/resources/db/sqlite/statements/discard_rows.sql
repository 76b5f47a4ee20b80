-- discard_rows: deletes backlog rows of an address that no live subscription owes.
-- Called by:   SqliteDiscard, first.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: index backlog_by_address, a range; subscription and backlog_settlement by key.
-- Changes:     one row per message that is over; answers their lengths.
DELETE FROM backlog AS m
WHERE m.address_id = ?1
  AND m.sequence >= ?2
  AND m.sequence < ?3
  AND NOT EXISTS (
      SELECT 1
      FROM subscription AS s
      LEFT JOIN backlog_settlement AS l
          ON l.address_id = m.address_id AND l.block = m.sequence / 1024 AND l.bit = s.bit
      WHERE s.address_id = m.address_id
        AND s.group_no = m.group_no
        AND s.from_sequence <= m.sequence
        AND m.pending >> s.bit & 1
        AND (l.settled IS NULL
            OR NOT instr('123456789ABCDEF', substr(hex(substr(l.settled, m.sequence % 1024 / 8 + 1, 1)),
      2 - m.sequence % 8 / 4, 1)) >> m.sequence % 4 & 1))
RETURNING body_bytes;
