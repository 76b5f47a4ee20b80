-- reclaim_summary: adds what was moved to the summaries of its addresses.
-- Called by:   SqliteReclaim, once, after every block of the stretch.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of backlog, a range; primary key of backlog_summary.
-- Changes:     one row per address whose backlog grew; answers it as it is now.
INSERT INTO backlog_summary (address_id, first_sequence, last_sequence, messages, bytes, first_expires_at,
                             first_deliver_at)
SELECT address_id, min(sequence), max(sequence), count(*), sum(body_bytes), coalesce(min(nullif(expires_at, 0)), 0),
       coalesce(min(nullif(deliver_at, 0)), 0)
FROM backlog
WHERE sequence >= ?1 AND sequence < ?2
GROUP BY address_id
ON CONFLICT (address_id) DO UPDATE
    SET first_sequence = min(first_sequence, excluded.first_sequence),
        last_sequence = max(last_sequence, excluded.last_sequence),
        messages = messages + excluded.messages,
        bytes = bytes + excluded.bytes,
        first_expires_at = coalesce(min(nullif(first_expires_at, 0), nullif(excluded.first_expires_at, 0)),
                                    nullif(first_expires_at, 0), excluded.first_expires_at),
        first_deliver_at = coalesce(min(nullif(first_deliver_at, 0), nullif(excluded.first_deliver_at, 0)),
                                    nullif(first_deliver_at, 0), excluded.first_deliver_at)
RETURNING address_id, first_sequence, last_sequence, messages, bytes, first_expires_at, first_deliver_at;
