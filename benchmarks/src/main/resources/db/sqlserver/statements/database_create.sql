-- database_create: a database of its own for one workload.
-- Called by:   SqlserverServer, once per workload.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the server's list of databases; database_name is replaced by a name of ours.
CREATE DATABASE database_name;
