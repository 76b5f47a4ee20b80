-- model_rows_settle: writes a row for a message and bit.
-- Called by:   SqliteModel, once per settlement.
-- Locks:       the file's write lock.
-- Access path: the end of the primary key of model_settled_row.
-- Changes:     one row.
INSERT INTO model_settled_row (sequence, bit) VALUES (?1, ?2);
