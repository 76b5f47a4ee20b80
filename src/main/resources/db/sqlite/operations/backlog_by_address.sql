-- backlog_by_address: which addresses have fallen behind the ring, by how much, and what is due first.
-- Called by:   people; cheap whatever the backlog: reads the summaries only.
-- Locks:       none; reads one snapshot of the log.
-- Access path: backlog_summary, one row per address that has a backlog.
-- Changes:     nothing.
SELECT coalesce(a.name, '(deleted, still to be cleared)') AS address,
       a.kind,
       b.messages,
       b.bytes,
       b.first_sequence,
       b.last_sequence,
       CASE WHEN b.first_expires_at > 0 THEN datetime(b.first_expires_at / 1000, 'unixepoch') END AS first_expires,
       CASE WHEN b.first_deliver_at > 0 THEN datetime(b.first_deliver_at / 1000, 'unixepoch') END AS first_delivered
FROM backlog_summary AS b
LEFT JOIN address AS a ON a.address_id = b.address_id
ORDER BY b.messages DESC;
