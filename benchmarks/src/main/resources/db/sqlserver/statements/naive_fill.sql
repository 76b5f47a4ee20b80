-- naive_fill: fills the queue before it is measured, with up to 10,000,000 messages.
-- Called by:   NaiveWorkload, once, for a shape with a backlog.
-- Locks:       row locks of its own rows.
-- Access path: the end of the clustered key of naive_queue.
-- Changes:     one row per message.
--
-- The rows come from seven digits, since a query that draws from a sequence may have no TOP.
WITH digit AS (SELECT v.n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS v (n))
INSERT INTO dbo.naive_queue (message_id, time, message)
SELECT NEXT VALUE FOR dbo.naive_sequence, SYSUTCDATETIME(), b.body
FROM (
    SELECT 1 AS filling
    FROM digit AS d1
        CROSS JOIN digit AS d2
        CROSS JOIN digit AS d3
        CROSS JOIN digit AS d4
        CROSS JOIN digit AS d5
        CROSS JOIN digit AS d6
        CROSS JOIN digit AS d7
    WHERE d1.n + 10 * d2.n + 100 * d3.n + 1000 * d4.n + 10000 * d5.n + 100000 * d6.n + 1000000 * d7.n < ?
) AS f
    CROSS JOIN (SELECT CAST(? AS varbinary(max)) AS body) AS b;
