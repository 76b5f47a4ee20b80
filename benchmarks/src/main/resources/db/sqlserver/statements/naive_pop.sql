-- naive_pop: deletes as many of the first messages as asked for.
-- Called by:   NaiveWorkload, once per commit.
-- Locks:       row locks on the first rows.
-- Access path: clustered key of naive_queue, its first entries.
-- Changes:     exactly as many rows as asked for.
DELETE FROM dbo.naive_queue
WHERE message_id IN (SELECT TOP (?) q.message_id FROM dbo.naive_queue AS q ORDER BY q.message_id);
