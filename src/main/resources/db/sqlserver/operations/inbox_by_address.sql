-- inbox_by_address: what applications have published in their transactions and the broker has not collected yet.
-- Called by:   people.
-- Locks:       none that outlasts a row; rows of open transactions are passed over.
-- Access path: the whole inbox, which is nearly empty unless no broker runs or an address is full.
-- Changes:     nothing.
SELECT i.shard_id,
       i.address,
       COUNT(*) AS messages,
       SUM(COALESCE(DATALENGTH(i.body), DATALENGTH(i.body_text))) AS bytes,
       MIN(i.published_at) AS oldest,
       MIN(i.inbox_id) AS first_id,
       MAX(i.inbox_id) AS last_id
FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, READPAST)
GROUP BY i.shard_id, i.address
ORDER BY oldest;
