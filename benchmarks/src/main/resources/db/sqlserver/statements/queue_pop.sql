-- queue_pop: takes the first messages out that no other consumer has in hand.
-- Called by:   NaiveReceiver, once per commit.
-- Locks:       row locks on the first rows; passes over locked rows.
-- Access path: clustered key of queue_message, its first entries.
-- Changes:     at most as many rows as asked for.
DELETE FROM dbo.queue_message
OUTPUT deleted.body
WHERE message_id IN (
    SELECT message_id
    FROM dbo.queue_message WITH (READCOMMITTEDLOCK, READPAST, UPDLOCK, ROWLOCK)
    ORDER BY message_id
    OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY
);
