-- topic_pop: takes a subscriber's first messages out.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       row locks on the subscriber's first rows; passes over locked rows.
-- Access path: clustered key of topic_message, the subscriber's first entries.
-- Changes:     at most as many rows as asked for.
--
-- The hints begin with the rows that are free. A plan that begins with the table waits for locked rows to compare them.
DELETE FROM t
OUTPUT deleted.body
FROM (
    SELECT subscriber, message_id
    FROM dbo.topic_message WITH (READCOMMITTEDLOCK, READPAST, UPDLOCK, ROWLOCK)
    WHERE subscriber = ?
    ORDER BY message_id
    OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY
) AS f
INNER JOIN dbo.topic_message AS t ON t.subscriber = f.subscriber AND t.message_id = f.message_id
OPTION (LOOP JOIN, FORCE ORDER);
