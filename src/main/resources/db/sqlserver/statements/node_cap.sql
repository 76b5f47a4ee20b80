-- node_cap: lets nodes that were seen in the future be seen now: the clock of the server was set back.
-- Called by:   ServerNodeTable, when such a row was read.
-- Locks:       exclusive on the rows that change.
-- Access path: see procedures/node_cap.sql.
-- Changes:     the rows with an instant in the future; none if their nodes have written them anew.
EXECUTE ringtable.node_cap;
