-- node_forget: removes the row of a process that stops, or was not seen for a day.
-- Called by:   ServerNodeTable.forget.
-- Locks:       exclusive on the row of the node.
-- Access path: primary key of node.
-- Changes:     one row, or none: another process has written it since.
DELETE FROM ringtable.node WHERE node_id = ? AND run_id = ?;
