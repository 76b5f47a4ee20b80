-- node_owners: who owns each shard of the database, and for how long.
-- Called by:   ServerNodeTable, by timer, on a connection of its own.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/node_owners.sql.
-- Changes:     nothing.
EXECUTE ringtable.node_owners;
