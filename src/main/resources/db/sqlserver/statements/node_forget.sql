-- node_forget: removes the row of a process that stops, or was not seen for a day.
-- Called by:   ServerNodeTable, on its own connection.
-- Locks:       exclusive on the row of the node.
-- Access path: see procedures/node_forget.sql.
-- Changes:     one row, or none: another process has written it since.
EXECUTE ringtable.node_forget @node_id = ?, @run_id = ?;
