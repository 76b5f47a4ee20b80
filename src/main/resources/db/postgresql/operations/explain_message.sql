-- explain_message: where one message lies, who owed it, who has settled it, and how often its delivery failed.
-- Called by:   people, on a running broker's database; EXECUTE on ringtable.read_message, as the broker has it.
-- Locks:       ACCESS SHARE on the segment of the message, shortly.
-- Access path: see procedures/read_message.sql; keys of subscription, address, login and redelivery.
-- Changes:     nothing.
-- Write the message's sequence for the 0 in the next line. One row for each subscription; no row: the message is over.
WITH asked AS (SELECT 0::bigint AS sequence)
SELECT h.shard_id,
       m.sequence,
       CASE WHEN m.in_ring THEN 'ring' ELSE 'backlog' END AS place,
       CASE WHEN m.in_ring THEN m.sequence % h.capacity END AS slot,
       a.name AS address,
       to_timestamp(m.published_at / 1000.0) AS published_at,
       -- a user of the broker or of the database; what a user-id in the message says nobody has checked
       CASE
           WHEN m.login_id = 0 THEN 'a client without a login'
           WHEN g.kind = 'user' THEN 'login ''' || g.name || ''''
           WHEN g.kind = 'database' AND g.name <> '' THEN 'database user ''' || g.name || ''', through the SQL inbox'
           WHEN g.kind = 'database' THEN 'the SQL inbox'
           WHEN g.kind = 'broker' THEN 'the broker'
           ELSE 'unknown'
       END AS published_by,
       to_timestamp(nullif(m.expires_at, 0) / 1000.0) AS expires_at,
       to_timestamp(nullif(m.deliver_at, 0) / 1000.0) AS deliver_not_before,
       m.body_bytes,
       CASE m.body_id WHEN 0 THEN 'row' ELSE 'overflow' END AS body,
       u.subscription_id,
       u.client_id,
       u.name AS subscription,
       CASE m.owed >> u.bit & 1 WHEN 1 THEN 'owed' ELSE 'settled' END AS state,
       coalesce(r.count, 0) AS failures,
       r.not_before AS rests_until
FROM asked AS q
CROSS JOIN ringtable.shard AS h
CROSS JOIN LATERAL ringtable.read_message(h.shard_id, q.sequence) AS m
JOIN ringtable.address AS a ON a.shard_id = h.shard_id AND a.address_id = m.address_id
JOIN ringtable.subscription AS u
    ON u.shard_id = h.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
       AND u.from_sequence <= m.sequence AND m.pending >> u.bit & 1 = 1
LEFT JOIN ringtable.login AS g ON g.shard_id = h.shard_id AND g.login_id = m.login_id
LEFT JOIN ringtable.redelivery AS r
    ON r.shard_id = h.shard_id AND r.sequence = m.sequence AND r.subscription_id = u.subscription_id
ORDER BY h.shard_id, u.subscription_id;
