-- recover_backlog: what each address has in the backlog.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: primary key of backlog_summary.
-- Changes:     nothing.
SELECT address_id, first_sequence, last_sequence, messages, bytes, ringtable.ms(first_expires_at),
       ringtable.ms(first_deliver_at)
FROM ringtable.backlog_summary
WHERE shard_id = ?
ORDER BY address_id;
