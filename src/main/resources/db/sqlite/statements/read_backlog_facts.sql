-- read_backlog_facts: an address's backlog messages that named the bit when they moved, in order, without bodies.
-- Called by:   SqliteReader.readBacklogFacts.
-- Locks:       none; reads one snapshot of the log.
-- Access path: index backlog_by_address, a range; read only as far as the caller needs.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes
FROM backlog
WHERE address_id = ?1 AND sequence > ?2 AND group_no = ?3 AND pending >> ?4 & 1
ORDER BY sequence
LIMIT ?5;
