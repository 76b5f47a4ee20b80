-- verify_version: what server this is, and whether the database takes writes.
-- Called by:   SqlserverDialect.verify, once per start.
-- Locks:       none.
-- Access path: none; properties of the server.
-- Changes:     nothing.
SELECT CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(128)) AS version,
       CAST(SERVERPROPERTY('EngineEdition') AS INT) AS edition,
       CAST(SERVERPROPERTY('Babelfish') AS INT) AS babelfish,
       CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS NVARCHAR(128)) AS updateability,
       DB_NAME() AS database_name;
