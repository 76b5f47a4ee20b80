-- read_body: a large body, chunk by chunk.
-- Called by:   SqliteReader.readBody.
-- Locks:       none; reads one snapshot of the log.
-- Access path: index of overflow_pk, a range.
-- Changes:     nothing.
SELECT chunk, chunks, data
FROM overflow
WHERE body_id = ?1
ORDER BY chunk;
