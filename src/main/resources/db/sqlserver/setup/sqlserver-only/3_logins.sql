-- Logins and users. Run by an administrator after 2_roles.sql has made the roles; choose the passwords, or use
-- Windows or Entra logins (FROM WINDOWS, FROM EXTERNAL PROVIDER). The first start and each upgrade use
-- ringtable_migration, every other start ringtable_runtime, so that the login in daily use can alter nothing.

-- The schema owner's rights of the database, to make objects in it.
GRANT CREATE TABLE TO ringtable_migrator;
GRANT CREATE VIEW TO ringtable_migrator;
GRANT CREATE PROCEDURE TO ringtable_migrator;
GRANT CREATE FUNCTION TO ringtable_migrator;
GRANT CREATE TYPE TO ringtable_migrator;
GO
CREATE LOGIN ringtable_migration WITH PASSWORD = N'change me 1', CHECK_POLICY = ON;
CREATE LOGIN ringtable_runtime WITH PASSWORD = N'change me 2', CHECK_POLICY = ON;
CREATE LOGIN ringtable_operations WITH PASSWORD = N'change me 3', CHECK_POLICY = ON;
GO
CREATE USER ringtable_migration FOR LOGIN ringtable_migration WITH DEFAULT_SCHEMA = ringtable;
CREATE USER ringtable_runtime FOR LOGIN ringtable_runtime WITH DEFAULT_SCHEMA = ringtable;
CREATE USER ringtable_operations FOR LOGIN ringtable_operations WITH DEFAULT_SCHEMA = ringtable;
GO
ALTER ROLE ringtable_migrator ADD MEMBER ringtable_migration;
ALTER ROLE ringtable_broker ADD MEMBER ringtable_migration;
ALTER ROLE ringtable_broker ADD MEMBER ringtable_runtime;
ALTER ROLE ringtable_operator ADD MEMBER ringtable_operations;
GO
-- For the files in operations that read the server's counters. On 2022 and newer VIEW SERVER PERFORMANCE STATE is
-- enough; on Azure SQL Database grant VIEW DATABASE STATE instead, in the database.
USE master;
GO
GRANT VIEW SERVER STATE TO ringtable_operations;
GO
