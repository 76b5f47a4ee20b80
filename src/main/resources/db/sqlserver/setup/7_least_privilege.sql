-- Roles of least privilege beside those of 2_roles.sql. Optional; run once, by a member of db_owner, after
-- 5_after_first_start.sql. Upgrades keep the rights.
--
--   ringtable_publisher  EXECUTE on ringtable.publish and ringtable.publish_bytes: publishes to every address
--   ringtable_settler    EXECUTE on ringtable.settle: settles what it was given
--   ringtable_viewer     SELECT on the views, and on what the queries in operations read beside them: sees no message
--
-- ringtable_application may do what the first two may. None of them changes a table.

CREATE ROLE ringtable_publisher;
CREATE ROLE ringtable_settler;
CREATE ROLE ringtable_viewer;
GO

GRANT EXECUTE ON ringtable.publish TO ringtable_publisher;
GRANT EXECUTE ON ringtable.publish_bytes TO ringtable_publisher;
GRANT EXECUTE ON ringtable.settle TO ringtable_settler;
GO

-- Three queries are for operators: explain_message, inbox_by_address and ring_overview read rows that have bodies.
GRANT SELECT ON ringtable.addresses TO ringtable_viewer;
GRANT SELECT ON ringtable.subscriptions TO ringtable_viewer;
GRANT SELECT ON ringtable.messages TO ringtable_viewer;
GRANT SELECT ON ringtable.owed TO ringtable_viewer;
GRANT SELECT ON ringtable.shard TO ringtable_viewer;
GRANT SELECT ON ringtable.lease TO ringtable_viewer;
GRANT SELECT ON ringtable.node TO ringtable_viewer;
GRANT SELECT ON ringtable.address TO ringtable_viewer;
GRANT SELECT ON ringtable.subscription TO ringtable_viewer;
GRANT SELECT ON ringtable.redelivery TO ringtable_viewer;
GRANT SELECT ON ringtable.backlog_summary TO ringtable_viewer;
GO

-- An example: an application that publishes to one address and to no other. Rules by address do not hold for SQL, so
-- the database has to bound it: a procedure with a fixed address. Its schema belongs to the owner of ringtable.publish,
-- so a caller needs no right on that. Change the names.
--
--   CREATE SCHEMA shop AUTHORIZATION ringtable_migrator;
--   GO
--   CREATE PROCEDURE shop.publish_order @body NVARCHAR(MAX), @properties NVARCHAR(MAX) = N'{}'
--   AS
--   EXECUTE ringtable.publish N'queue://orders', @body, @properties;
--   GO
--   CREATE ROLE shop_application;
--   GRANT EXECUTE ON shop.publish_order TO shop_application;
--   GO
