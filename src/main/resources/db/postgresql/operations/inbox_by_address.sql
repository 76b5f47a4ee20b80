-- inbox_by_address: messages and settlements of applications' transactions that the broker has not yet collected.
-- Called by:   people.
-- Locks:       none.
-- Access path: the whole inbox, which is nearly empty unless no broker runs or an address is full.
-- Changes:     nothing.
SELECT shard_id,
       address, -- NULL counts settlements
       count(*) AS rows,
       pg_size_pretty(sum(octet_length(body))) AS bytes,
       min(laid_down_at) AS oldest,
       min(inbox_id) AS first_id,
       max(inbox_id) AS last_id
FROM ringtable.inbox
GROUP BY shard_id, address
ORDER BY oldest;
