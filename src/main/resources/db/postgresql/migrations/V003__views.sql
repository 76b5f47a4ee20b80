-- Views for people, beside owed and messages: what can be published to, and who reads it.

CREATE VIEW ringtable.addresses AS
SELECT a.shard_id,
       a.address_id,
       a.name AS address,
       a.kind,
       (SELECT count(*)
        FROM ringtable.subscription AS u
        WHERE u.shard_id = a.shard_id AND u.address_id = a.address_id) AS subscriptions,
       coalesce(b.messages, 0) AS backlog_messages,
       coalesce(b.bytes, 0) AS backlog_bytes,
       a.quota_messages,
       a.quota_bytes
FROM ringtable.address AS a
LEFT JOIN ringtable.backlog_summary AS b ON b.shard_id = a.shard_id AND b.address_id = a.address_id;

COMMENT ON VIEW ringtable.addresses IS 'What can be published to, how many read it, and what of it lies in the backlog';

CREATE VIEW ringtable.subscriptions AS
SELECT u.shard_id,
       u.subscription_id,
       a.name AS address,
       a.kind,
       u.client_id,
       u.name AS subscription,
       u.group_no,
       u.bit,
       u.from_sequence,
       u.dispatched_to,
       u.selector,
       u.no_local,
       u.shared
FROM ringtable.subscription AS u
JOIN ringtable.address AS a ON a.shard_id = u.shard_id AND a.address_id = u.address_id;

COMMENT ON VIEW ringtable.subscriptions IS 'Who reads what';
