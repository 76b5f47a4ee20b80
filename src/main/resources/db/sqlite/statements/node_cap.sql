-- node_cap: lets nodes that were seen in the future be seen now: the clock was set back.
-- Called by:   SqliteNodeTable.beat, when it has read such a row.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: node, whole: a row for each node.
-- Changes:     the rows with an instant in the future.
UPDATE node SET seen_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
WHERE seen_at > CAST(unixepoch('subsec') * 1000 AS INTEGER);
