-- stage: stores one chunk of a large body.
-- Called by:   SqliteWriter.stage, one transaction per chunk so that no flush waits for the whole body.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: index of overflow_pk.
-- Changes:     exactly one row.
INSERT INTO overflow (body_id, chunk, chunks, data)
VALUES (?1, ?2, ?3, ?4);
