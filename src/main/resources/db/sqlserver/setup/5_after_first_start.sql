-- What can only be granted once the first start (with the login that migrates) has made it: the broker's role reads the history of
-- migrations, applications execute the two forms of publish. Run once after it, and after an upgrade that adds one of them; from then
-- on start the broker with the login that can alter nothing.
GRANT SELECT ON ringtable.ringtable_schema_history TO ringtable_broker;
GO
GRANT EXECUTE ON ringtable.publish TO ringtable_publisher;
GRANT EXECUTE ON ringtable.publish_bytes TO ringtable_publisher;
GO
