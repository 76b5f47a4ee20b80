-- database_drop: removes the database of one workload.
-- Called by:   PostgresServer, once per workload.
-- Locks:       ends the sessions that are left.
-- Access path: none.
-- Changes:     the catalogue; database_name is replaced by a name of ours.
DROP DATABASE database_name WITH (FORCE);
