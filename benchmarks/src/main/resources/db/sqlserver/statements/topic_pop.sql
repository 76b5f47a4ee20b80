-- topic_pop: takes a subscriber's first messages out.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       row locks on the subscriber's first rows; passes over locked rows.
-- Access path: clustered key of topic_message, the subscriber's first entries.
-- Changes:     at most as many rows as asked for.
DELETE FROM t
OUTPUT deleted.body
FROM dbo.topic_message AS t
INNER JOIN (
    SELECT subscriber, message_id
    FROM dbo.topic_message WITH (READCOMMITTEDLOCK, READPAST, UPDLOCK, ROWLOCK)
    WHERE subscriber = ?
    ORDER BY message_id
    OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY
) AS f ON f.subscriber = t.subscriber AND f.message_id = t.message_id;
