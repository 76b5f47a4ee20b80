-- node_cap: lets nodes that were seen in the future be seen now: the clock of the server was set back.
-- Called by:   ServerNodeTable.beat, when it has read such a row.
-- Locks:       exclusive on the rows that change.
-- Access path: node, whole: a row for each node.
-- Changes:     the rows with an instant in the future; none if their nodes have written them anew meanwhile.
UPDATE ringtable.node SET seen_at = clock_timestamp() WHERE seen_at > clock_timestamp();
