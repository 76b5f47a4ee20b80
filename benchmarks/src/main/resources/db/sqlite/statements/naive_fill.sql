-- naive_fill: fills the queue before it is measured.
-- Called by:   NaiveWorkload, once, for a shape with a backlog.
-- Locks:       the write lock.
-- Access path: appends to naive_queue.
-- Changes:     one row per message.
INSERT INTO naive_queue (time, message)
WITH RECURSIVE filling (n) AS (
    SELECT 1
    UNION ALL
    SELECT n + 1 FROM filling WHERE n < ?1
)
SELECT 0, ?2
FROM filling;
