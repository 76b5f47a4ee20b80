-- flush_duplicate_id: keeps the id of a message in place of the oldest one of its address.
-- Called by:   SqliteFlush, once per message that carries an id.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of duplicate_id.
-- Changes:     exactly one row; one that is younger stays, which aborts the transaction.
INSERT INTO duplicate_id (address_id, position, ordinal, id)
VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (address_id, position) DO UPDATE SET ordinal = excluded.ordinal, id = excluded.id
    WHERE duplicate_id.ordinal <= excluded.ordinal;
