-- read_body: the chunks of a body, in order.
-- Called by:   PostgresqlReader.readBody.
-- Locks:       none.
-- Access path: overflow_pk, a range.
-- Changes:     nothing.
SELECT chunk, chunks, data
FROM ringtable.overflow
WHERE shard_id = ? AND body_id = ?
ORDER BY chunk;
