-- failed_deliveries: messages whose delivery has failed, most often first: candidates for the dead-letter queue.
-- Called by:   people; also on a running broker's file, best on a copy (see db/README.md).
-- Locks:       none; reads one snapshot of the log.
-- Access path: redelivery, a table of failures only; subscription and address by key.
-- Changes:     nothing.
SELECT a.name AS address,
       s.client_id,
       s.name AS subscription,
       r.sequence,
       r.count AS failures,
       CASE WHEN r.not_before > 0 THEN datetime(r.not_before / 1000, 'unixepoch') END AS not_before
FROM redelivery AS r
LEFT JOIN subscription AS s ON s.subscription_id = r.subscription_id
LEFT JOIN address AS a ON a.address_id = s.address_id
ORDER BY r.count DESC, r.sequence;
