-- unstage: deletes a large body.
-- Called by:   SqliteWriter.unstage, once per body.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: index of overflow_pk, a range.
-- Changes:     one row per chunk.
DELETE FROM overflow
WHERE body_id = ?1;
