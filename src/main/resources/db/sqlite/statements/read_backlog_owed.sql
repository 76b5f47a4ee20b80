-- read_backlog_owed: how many messages of a stretch of one address's backlog each live subscription still owes.
-- Called by:   SqliteReader.countBacklog, after recovery, a portion at a time.
-- Locks:       none; reads one snapshot of the log.
-- Access path: index backlog_by_address, a range; primary key of backlog_settlement for each row and subscription.
-- Changes:     nothing.
SELECT s.subscription_id, count(*)
FROM backlog AS m
CROSS JOIN subscription AS s
    ON s.address_id = m.address_id AND s.group_no = m.group_no AND s.from_sequence <= m.sequence
LEFT JOIN backlog_settlement AS l
    ON l.address_id = m.address_id AND l.block = m.sequence / 1024 AND l.bit = s.bit
WHERE m.address_id = ?1
  AND m.sequence >= ?2
  AND m.sequence < ?3
  AND m.pending >> s.bit & 1
  -- the bit of this sequence in the bitmap: its byte in hexadecimal, of that the digit, of that the bit
  AND (l.settled IS NULL OR NOT instr('123456789ABCDEF', substr(hex(substr(l.settled, m.sequence % 1024 / 8 + 1, 1)),
      2 - m.sequence % 8 / 4, 1)) >> m.sequence % 4 & 1)
GROUP BY s.subscription_id;
