-- read_backlog: messages of an address in the backlog that a bit still owes, in order.
-- Called by:   PostgresqlReader.readBacklog.
-- Locks:       none.
-- Access path: backlog_pk, a range; backlog_settlement_pk.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes,
        body
FROM ringtable.read_backlog(?, ?, ?, ?, ?, ?, ?);
