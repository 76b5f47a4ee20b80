-- failed_deliveries: messages whose delivery has failed, how often, and when they are tried again.
-- Called by:   people, on a running broker's database.
-- Locks:       shared, row by row.
-- Access path: redelivery, whole; keys of subscription and address.
-- Changes:     nothing.
-- Look for:    one sequence with many failures: its consumer cannot handle it; on its way to the dead letters.
SELECT r.shard_id,
       r.sequence,
       a.name AS address,
       u.client_id,
       u.name AS subscription,
       r.count AS failures,
       r.not_before
FROM ringtable.redelivery AS r
LEFT JOIN ringtable.subscription AS u ON u.shard_id = r.shard_id AND u.subscription_id = r.subscription_id
LEFT JOIN ringtable.address AS a ON a.shard_id = u.shard_id AND a.address_id = u.address_id
ORDER BY r.count DESC, r.sequence;
