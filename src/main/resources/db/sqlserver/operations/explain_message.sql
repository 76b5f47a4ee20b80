-- explain_message: where one message lies, who owed it, who has settled it, and how often its delivery failed.
-- Called by:   people, on a running broker's database.
-- Locks:       shared, row by row.
-- Access path: keys of shard, slot, backlog_summary, backlog, settlement, subscription, login and redelivery.
-- Changes:     nothing.
-- Look for:    rows whose state is owed. Write the message's sequence for the 0 below. No row: the message is over.
WITH asked AS (SELECT CAST(0 AS BIGINT) AS sequence),
message AS (
    SELECT h.shard_id, 'ring' AS place, m.sequence, m.slot, m.address_id, m.published_at, m.expires_at, m.deliver_at,
           m.group_no, m.pending, m.body_id, m.body_bytes, m.login_id
    FROM asked AS q
    CROSS JOIN ringtable.shard AS h
    JOIN ringtable.slot AS m
        ON m.shard_id = h.shard_id AND m.slot = CAST(q.sequence % h.capacity AS INT) AND m.sequence = q.sequence
           AND m.sequence >= h.gate
    UNION ALL
    SELECT y.shard_id, 'backlog', b.sequence, NULL, b.address_id, b.published_at, b.expires_at, b.deliver_at,
           b.group_no, b.pending, b.body_id, b.body_bytes, b.login_id
    FROM asked AS q
    JOIN ringtable.backlog_summary AS y ON y.first_sequence <= q.sequence AND y.last_sequence >= q.sequence
    JOIN ringtable.backlog AS b
        ON b.shard_id = y.shard_id AND b.address_id = y.address_id AND b.sequence = q.sequence),
reader AS (
    SELECT m.*, u.subscription_id, u.client_id, u.name AS subscription,
           COALESCE(l.settled, k.settled) AS settled
    FROM message AS m
    JOIN ringtable.subscription AS u
        ON u.shard_id = m.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
           AND u.from_sequence <= m.sequence AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
    LEFT JOIN ringtable.settlement AS l
        ON m.place = 'ring' AND l.shard_id = m.shard_id AND l.block = m.sequence / 1024 AND l.[bit] = u.[bit]
    LEFT JOIN ringtable.backlog_settlement AS k
        ON m.place = 'backlog' AND k.shard_id = m.shard_id AND k.address_id = m.address_id
           AND k.block = m.sequence / 1024 AND k.[bit] = u.[bit])
SELECT r.shard_id,
       r.sequence,
       r.place,
       r.slot,
       a.name AS address,
       r.published_at,
       -- a user of the broker or a login of the server; what a user-id in the message says nobody has checked
       CASE
           WHEN r.login_id = 0 THEN N'a client without a login'
           WHEN g.kind = 'user' THEN N'login ''' + g.name + N''''
           WHEN g.kind = 'database' AND g.name <> N'' THEN N'database user ''' + g.name + N''', through the SQL inbox'
           WHEN g.kind = 'database' THEN N'the SQL inbox'
           WHEN g.kind = 'broker' THEN N'the broker'
           ELSE N'unknown'
       END AS published_by,
       r.expires_at,
       r.deliver_at AS deliver_not_before,
       r.body_bytes,
       CASE WHEN r.body_id IS NULL THEN 'row' ELSE 'overflow' END AS body,
       r.subscription_id,
       r.client_id,
       r.subscription,
       CASE WHEN r.settled IS NULL
                 OR CAST(SUBSTRING(r.settled, CAST(r.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                    & POWER(2, CAST(r.sequence % 8 AS INT)) = 0
            THEN 'owed' ELSE 'settled' END AS state,
       COALESCE(f.count, 0) AS failures,
       f.not_before AS rests_until
FROM reader AS r
JOIN ringtable.address AS a ON a.shard_id = r.shard_id AND a.address_id = r.address_id
LEFT JOIN ringtable.login AS g ON g.shard_id = r.shard_id AND g.login_id = r.login_id
LEFT JOIN ringtable.redelivery AS f
    ON f.shard_id = r.shard_id AND f.sequence = r.sequence AND f.subscription_id = r.subscription_id
ORDER BY r.shard_id, r.subscription_id;
