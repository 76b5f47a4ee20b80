-- oldest_owed_message: the message that has been owed for longest on each address, and who still owes it.
-- Called by:   people, on a running broker's database.
-- Locks:       shared, row by row.
-- Access path: the whole ring and backlog.
-- Changes:     nothing.
-- Look for:    a subscription that stands at the top of one address after another: its consumer is gone or hangs.
SELECT o.shard_id,
       o.address,
       o.sequence,
       o.place,
       o.published_at,
       DATEDIFF(SECOND, o.published_at, SYSUTCDATETIME()) AS age_seconds,
       o.client_id,
       o.subscription
FROM (SELECT w.*, ROW_NUMBER() OVER (PARTITION BY w.shard_id, w.address ORDER BY w.sequence) AS position
      FROM ringtable.owed AS w) AS o
WHERE o.position = 1
ORDER BY o.published_at;
