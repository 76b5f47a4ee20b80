-- read_backlog_facts: an address's backlog messages that named the bit when they moved, in order, without bodies.
-- Called by:   PostgresqlReader.readBacklogFacts.
-- Locks:       none.
-- Access path: backlog_pk, a range; read only as far as the caller needs.
-- Changes:     nothing.
SELECT b.sequence, b.address_id, ringtable.ms(b.published_at), b.priority, ringtable.ms(b.expires_at),
       ringtable.ms(b.deliver_at), b.group_no, b.pending, coalesce(b.body_id, 0), b.body_bytes
FROM ringtable.backlog AS b
WHERE b.shard_id = ? AND b.address_id = ? AND b.sequence > ? AND b.group_no = ? AND b.pending >> ? & 1 = 1
ORDER BY b.sequence
LIMIT ?;
