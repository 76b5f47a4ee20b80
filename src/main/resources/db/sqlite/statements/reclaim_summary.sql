-- reclaim_summary: adds what was moved to the summary of its address.
-- Called by:   SqliteReclaim, once per address whose backlog grew.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of backlog_summary.
-- Changes:     exactly one row; answers it as it is now.
INSERT INTO backlog_summary (address_id, first_sequence, last_sequence, messages, bytes, first_expires_at,
                             first_deliver_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
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
