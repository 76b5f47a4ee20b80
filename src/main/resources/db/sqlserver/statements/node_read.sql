-- node_read: every node that is there or was within the last day, and how long ago it was seen.
-- Called by:   ServerNodeTable, before the node writes its own row.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/node_read.sql.
-- Changes:     nothing.
EXECUTE ringtable.node_read;
