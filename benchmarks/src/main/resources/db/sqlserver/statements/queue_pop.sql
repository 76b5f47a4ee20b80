-- queue_pop: takes the first messages out that no other consumer has in hand.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       row locks on the first rows; passes over locked rows.
-- Access path: clustered key of queue_message, its first entries.
-- Changes:     at most as many rows as asked for.
--
-- The hints begin with the rows that are free. A plan that begins with the table waits for locked rows to compare them.
DELETE FROM t
OUTPUT deleted.body
FROM (
    SELECT message_id
    FROM dbo.queue_message WITH (READCOMMITTEDLOCK, READPAST, UPDLOCK, ROWLOCK)
    ORDER BY message_id
    OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY
) AS f
INNER JOIN dbo.queue_message AS t ON t.message_id = f.message_id
OPTION (LOOP JOIN, FORCE ORDER);
