-- model_rows_settle: writes a row for each message of a list, for one subscriber.
-- Called by:   SqlserverModel, once per flush and subscriber.
-- Locks:       none beyond the new rows.
-- Access path: the end of the clustered key of model_settled_row.
-- Changes:     one row per message.
INSERT INTO dbo.model_settled_row (sequence, [bit])
SELECT p.sequence, ?
FROM ? AS p;
