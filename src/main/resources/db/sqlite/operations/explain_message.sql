-- explain_message: where one message lies, who owed it, who has settled it, and how often its delivery failed.
-- Called by:   people; also on a running broker's file, best on a copy (see db/README.md).
-- Locks:       none; reads one snapshot of the log.
-- Access path: keys of shard, slot, backlog, settlement, subscription, login and redelivery; no scan.
-- Changes:     nothing.
-- Write the message's sequence for the 0 in the next line. One row for each subscription; no row: the message is over.
WITH asked AS (SELECT 0 AS sequence),
message AS (
    SELECT 'ring' AS place, m.sequence, m.slot, m.address_id, m.published_at, m.expires_at, m.deliver_at, m.group_no,
           m.pending, m.body_id, m.body_bytes, m.login_id
    FROM asked AS q
    CROSS JOIN shard AS h
    CROSS JOIN slot AS m
    WHERE h.shard_id = 0 AND m.slot = q.sequence % h.capacity AND m.sequence = q.sequence AND m.sequence >= h.gate
    UNION ALL
    SELECT 'backlog', b.sequence, NULL, b.address_id, b.published_at, b.expires_at, b.deliver_at, b.group_no,
           b.pending, b.body_id, b.body_bytes, b.login_id
    FROM asked AS q
    CROSS JOIN backlog AS b
    WHERE b.sequence = q.sequence),
reader AS (
    SELECT m.*, s.subscription_id, s.client_id, s.name AS subscription, s.bit,
           CASE m.place
               WHEN 'ring' THEN (SELECT l.settled FROM settlement AS l
                                 WHERE l.block = m.sequence / 1024 AND l.bit = s.bit)
               ELSE (SELECT l.settled FROM backlog_settlement AS l
                     WHERE l.address_id = m.address_id AND l.block = m.sequence / 1024 AND l.bit = s.bit)
           END AS settled
    FROM message AS m
    JOIN subscription AS s
        ON s.address_id = m.address_id AND s.group_no = m.group_no AND s.from_sequence <= m.sequence
    WHERE m.pending >> s.bit & 1)
SELECT r.sequence,
       r.place,
       r.slot,
       a.name AS address,
       datetime(r.published_at / 1000, 'unixepoch') AS published,
       -- a user of the broker; what a user-id in the message says nobody has checked
       CASE
           WHEN r.login_id = 0 THEN 'a client without a login'
           WHEN g.kind = 'user' THEN 'login ''' || g.name || ''''
           WHEN g.kind = 'broker' THEN 'the broker'
           ELSE 'unknown'
       END AS published_by,
       CASE WHEN r.expires_at > 0 THEN datetime(r.expires_at / 1000, 'unixepoch') END AS expires,
       CASE WHEN r.deliver_at > 0 THEN datetime(r.deliver_at / 1000, 'unixepoch') END AS deliver_not_before,
       r.body_bytes,
       CASE r.body_id WHEN 0 THEN 'row' ELSE 'overflow' END AS body,
       r.subscription_id,
       r.client_id,
       r.subscription,
       -- the bit of this sequence in the bitmap: its byte in hexadecimal, of that the digit, of that the bit
       CASE WHEN r.settled IS NULL OR NOT instr('123456789ABCDEF', substr(hex(substr(r.settled,
           r.sequence % 1024 / 8 + 1, 1)), 2 - r.sequence % 8 / 4, 1)) >> r.sequence % 4 & 1
           THEN 'owed' ELSE 'settled' END AS state,
       coalesce(f.count, 0) AS failures,
       CASE WHEN f.not_before > 0 THEN datetime(f.not_before / 1000, 'unixepoch') END AS rests_until
FROM reader AS r
JOIN address AS a ON a.address_id = r.address_id
LEFT JOIN login AS g ON g.login_id = r.login_id
LEFT JOIN redelivery AS f ON f.sequence = r.sequence AND f.subscription_id = r.subscription_id
ORDER BY r.subscription_id;
