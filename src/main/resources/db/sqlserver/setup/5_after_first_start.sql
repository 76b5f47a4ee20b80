-- What can only be granted once the first start (with the login that migrates) has made it: the broker's role reads the history of
-- migrations, applications execute publish, publish_bytes and settle. Run once after it, and after an upgrade that adds one of them; from then
-- on start the broker with the login that can alter nothing.
GRANT SELECT ON ringtable.ringtable_schema_history TO ringtable_broker;
GO
GRANT EXECUTE ON ringtable.publish TO ringtable_application;
GRANT EXECUTE ON ringtable.publish_bytes TO ringtable_application;
GRANT EXECUTE ON ringtable.settle TO ringtable_application;
GO
