-- node_forget: removes the row of a process that stops, or was not seen for a day.
-- Called by:   SqliteNodeTable.forget.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of node.
-- Changes:     one row, or none: another process has written it since.
DELETE FROM node WHERE node_id = ? AND run_id = ?;
