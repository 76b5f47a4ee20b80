-- What the broker's role may read: the history of migrations, which the first start (with the login that migrates) has made. Run
-- once after it; from then on start the broker with the login that can alter nothing.
GRANT SELECT ON ringtable.ringtable_schema_history TO ringtable_broker;
GO
