-- database_drop: removes the database of one workload.
-- Called by:   SqlserverServer, once per workload.
-- Locks:       ends the sessions that are left.
-- Access path: none.
-- Changes:     the server's list of databases; database_name is replaced by a name of ours.
ALTER DATABASE database_name SET SINGLE_USER WITH ROLLBACK IMMEDIATE;
DROP DATABASE database_name;
