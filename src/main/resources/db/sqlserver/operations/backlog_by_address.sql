-- backlog_by_address: what each address has in the backlog, and what of it is due.
-- Called by:   people, on a running broker's database.
-- Locks:       shared, row by row.
-- Access path: backlog_summary, whole; address_pk.
-- Changes:     nothing.
-- Look for:    messages near quota_messages, unless a policy says otherwise: publishers of that address wait.
SELECT b.shard_id,
       a.name AS address,
       a.kind,
       b.messages,
       b.bytes,
       b.first_sequence,
       b.last_sequence,
       b.first_expires_at,
       b.first_deliver_at,
       a.quota_messages
FROM ringtable.backlog_summary AS b
LEFT JOIN ringtable.address AS a ON a.shard_id = b.shard_id AND a.address_id = b.address_id
ORDER BY b.messages DESC;
