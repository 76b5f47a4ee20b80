-- Schema, roles and least privilege. Run once, by a member of db_owner, before the first start.
-- 5_after_first_start.sql adds the grants that are possible only then.
--
--   ringtable_migrator  owns the schema: makes and alters tables and procedures, at the first start and at upgrades
--   ringtable_broker    EXECUTE on the schema, and SELECT on the history of migrations, shard, lease and placement:
--                       nothing else at run time
--   ringtable_operator  SELECT on the views and on the tables that the files in operations read; can change nothing
--   ringtable_application for applications that publish and settle in their own transactions: EXECUTE on
--                       ringtable.publish, ringtable.publish_bytes and ringtable.settle (5_after_first_start.sql),
--                       and no right on any table

CREATE ROLE ringtable_migrator;
CREATE ROLE ringtable_broker;
CREATE ROLE ringtable_operator;
CREATE ROLE ringtable_application;
GO

CREATE SCHEMA ringtable AUTHORIZATION ringtable_migrator;
GO

-- The role owns the schema, and so the objects that a member makes in it. Procedures reach their tables by that
-- ownership, and a caller needs no right on the tables. (sqlserver-only/3_logins.sql has the role's rights of the
-- database.)
-- Covers procedures and the table types of flush, those of later versions too.
GRANT EXECUTE ON SCHEMA::ringtable TO ringtable_broker;
GRANT SELECT ON SCHEMA::ringtable TO ringtable_operator;
GO
