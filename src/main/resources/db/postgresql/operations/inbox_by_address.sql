-- inbox_by_address: what applications have published in their transactions and the broker has not collected yet.
-- Called by:   people.
-- Locks:       none.
-- Access path: the whole inbox, which is nearly empty unless no broker runs or an address is full.
-- Changes:     nothing.
SELECT shard_id,
       address,
       count(*) AS messages,
       pg_size_pretty(sum(octet_length(body))) AS bytes,
       min(published_at) AS oldest,
       min(inbox_id) AS first_id,
       max(inbox_id) AS last_id
FROM ringtable.inbox
GROUP BY shard_id, address
ORDER BY oldest;
