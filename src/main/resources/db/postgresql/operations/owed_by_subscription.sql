-- owed_by_subscription: how much each subscription owes, in the ring and in the backlog, and since when.
-- Called by:   people, on a running broker's database.
-- Locks:       ACCESS SHARE on every table; a segment that is to be emptied waits for its end.
-- Access path: the whole ring and backlog.
-- Changes:     nothing.
SELECT shard_id,
       address,
       client_id,
       subscription,
       count(*) FILTER (WHERE place = 'ring') AS in_ring,
       count(*) FILTER (WHERE place = 'backlog') AS in_backlog,
       sum(body_bytes) AS bytes,
       min(published_at) AS oldest
FROM ringtable.owed
GROUP BY shard_id, address, subscription_id, client_id, subscription
ORDER BY count(*) DESC;
