-- read_message: one message wherever it lies, with the bits that its row names.
-- Called by:   SqliteReader.readMessage.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary keys of shard, slot and backlog.
-- Changes:     nothing.
SELECT m.sequence, m.address_id, m.published_at, m.priority, m.expires_at, m.deliver_at, m.group_no, m.pending,
       m.body_id, m.body_bytes, m.body, m.login_id, 1 AS in_ring
FROM shard AS h
CROSS JOIN slot AS m
WHERE h.shard_id = 0 AND m.slot = ?1 % h.capacity AND m.sequence = ?1 AND m.sequence >= h.gate
UNION ALL
SELECT b.sequence, b.address_id, b.published_at, b.priority, b.expires_at, b.deliver_at, b.group_no, b.pending,
       b.body_id, b.body_bytes, b.body, b.login_id, 0
FROM backlog AS b
WHERE b.sequence = ?1;
