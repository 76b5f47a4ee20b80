-- owed_by_subscription: how much each subscription owes, in the ring and in the backlog, and since when.
-- Called by:   people, on a running broker's database.
-- Locks:       shared, row by row.
-- Access path: the whole ring and backlog.
-- Changes:     nothing.
-- Look for:    in_backlog that grows from one look to the next: that subscription is slower than its publishers.
SELECT o.shard_id,
       o.address,
       o.client_id,
       o.subscription,
       SUM(CASE WHEN o.place = 'ring' THEN 1 ELSE 0 END) AS in_ring,
       SUM(CASE WHEN o.place = 'backlog' THEN 1 ELSE 0 END) AS in_backlog,
       SUM(CAST(o.body_bytes AS BIGINT)) AS bytes,
       MIN(o.published_at) AS oldest
FROM ringtable.owed AS o
GROUP BY o.shard_id, o.address, o.subscription_id, o.client_id, o.subscription
ORDER BY COUNT(*) DESC;
