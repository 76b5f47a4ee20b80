-- model_rows_settle: writes a row for each message and bit.
-- Called by:   PostgresModel, once per flush.
-- Locks:       none beyond the new rows.
-- Access path: the end of the primary key of model_settled_row.
-- Changes:     one row per settlement.
INSERT INTO model_settled_row (sequence, bit)
SELECT s, b FROM generate_series(?, ? - 1) AS s, generate_series(0, ? - 1) AS b;
