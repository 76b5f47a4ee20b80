-- Views for people, beside owed and messages: what can be published to, and who reads it.

CREATE VIEW addresses AS
SELECT a.address_id,
       a.name AS address,
       a.kind,
       (SELECT count(*) FROM subscription AS u WHERE u.address_id = a.address_id) AS subscriptions,
       coalesce(b.messages, 0) AS backlog_messages,
       coalesce(b.bytes, 0) AS backlog_bytes,
       a.quota_messages,
       a.quota_bytes
FROM address AS a
LEFT JOIN backlog_summary AS b ON b.address_id = a.address_id;

CREATE VIEW subscriptions AS
SELECT u.subscription_id,
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
FROM subscription AS u
JOIN address AS a ON a.address_id = u.address_id;
