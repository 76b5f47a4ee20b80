-- Grants that are possible only once the first start (with the login that migrates) has made the objects: the
-- broker's role reads the history of migrations and which shards there are, whose they are and where they lie, which it
-- asks before it knows that the schema is its own. Applications execute publish, publish_bytes and settle, and
-- operators see neither the key of deliveries nor what administrators set. Run once after it, and after an upgrade
-- that adds one of them; from then on start the broker with the login that can alter nothing.
GRANT SELECT ON ringtable.ringtable_schema_history TO ringtable_broker;
GRANT SELECT ON ringtable.shard TO ringtable_broker;
GRANT SELECT ON ringtable.lease TO ringtable_broker;
GRANT SELECT ON ringtable.placement TO ringtable_broker;
GO
GRANT EXECUTE ON ringtable.publish TO ringtable_application;
GRANT EXECUTE ON ringtable.publish_bytes TO ringtable_application;
GRANT EXECUTE ON ringtable.settle TO ringtable_application;
GO
-- Operators read every table except two. A user who knows the key and may execute settle can settle anything; the
-- settings have hashes of passwords.
DENY SELECT ON ringtable.delivery_key TO ringtable_operator;
DENY SELECT ON ringtable.setting TO ringtable_operator;
GO
