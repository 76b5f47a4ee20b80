-- read_backlog: messages of an address in the backlog that named the bit when they were moved, in order.
-- Called by:   SqliteReader.readBacklog, which leaves out what the ledger says is settled.
-- Locks:       none; reads one snapshot of the log.
-- Access path: index backlog_by_address, a range; read only as far as the caller needs.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes,
       body, login_id
FROM backlog
WHERE address_id = ?1 AND sequence > ?2 AND sequence < ?5 AND group_no = ?3 AND pending >> ?4 & 1
ORDER BY sequence;
