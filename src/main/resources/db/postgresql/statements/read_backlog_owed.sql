-- read_backlog_owed: how many messages of a stretch of one address's backlog each live subscription still owes.
-- Called by:   PostgresqlReader.countBacklog, after recovery, a portion at a time.
-- Locks:       none.
-- Access path: backlog_pk, a range; backlog_settlement_pk.
-- Changes:     nothing.
SELECT u.subscription_id, count(*)
FROM ringtable.backlog AS b
JOIN ringtable.subscription AS u
    ON u.shard_id = b.shard_id AND u.address_id = b.address_id AND u.group_no = b.group_no
       AND u.from_sequence <= b.sequence
LEFT JOIN ringtable.backlog_settlement AS l
    ON l.shard_id = b.shard_id AND l.address_id = b.address_id AND l.block = b.sequence / 1024 AND l.bit = u.bit
WHERE b.shard_id = ?
  AND b.address_id = ?
  AND b.sequence >= ?
  AND b.sequence < ?
  AND b.pending >> u.bit & 1 = 1
  AND (l.settled IS NULL OR get_bit(l.settled, b.sequence % 1024) = 0)
GROUP BY u.subscription_id;
