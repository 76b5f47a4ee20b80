-- naive_fill: fills the queue before it is measured.
-- Called by:   NaiveWorkload, once, for a shape with a backlog.
-- Locks:       row locks of its own rows.
-- Access path: appends to naive_queue.
-- Changes:     one row per message.
INSERT INTO naive_queue (time, message)
SELECT now(), b.body
FROM generate_series(1, ?) AS filling
CROSS JOIN (SELECT ?::bytea AS body) AS b;
