-- verify_durability: whether the database lets a commit return before its log is on disk, and how old its T-SQL is.
-- Called by:   SqlserverDialect.verify, once per start, not on Babelfish.
-- Locks:       none.
-- Access path: sys.databases.
-- Changes:     nothing.
SELECT d.delayed_durability_desc, d.compatibility_level
FROM sys.databases AS d
WHERE d.name = DB_NAME();
