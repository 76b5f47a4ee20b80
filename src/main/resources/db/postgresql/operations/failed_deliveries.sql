-- failed_deliveries: messages whose delivery has failed, how often, and when they are tried again.
-- Called by:   people, on a running broker's database.
-- Locks:       none; reads one snapshot.
-- Access path: redelivery, whole; keys of subscription and address.
-- Changes:     nothing.
SELECT r.shard_id,
       r.sequence,
       a.name AS address,
       s.client_id,
       s.name AS subscription,
       r.count AS failures,
       r.not_before
FROM ringtable.redelivery AS r
LEFT JOIN ringtable.subscription AS s ON s.shard_id = r.shard_id AND s.subscription_id = r.subscription_id
LEFT JOIN ringtable.address AS a ON a.shard_id = s.shard_id AND a.address_id = s.address_id
ORDER BY r.count DESC, r.sequence;
