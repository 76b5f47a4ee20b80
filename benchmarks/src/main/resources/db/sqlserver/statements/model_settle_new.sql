-- model_settle_new: writes the bitmaps of those blocks and bits that have none yet.
-- Called by:   SqlserverModel, once per flush, after model_settle.
-- Locks:       none beyond the new rows.
-- Access path: clustered key of model_settlement.
-- Changes:     one row per block and bit that is not there.
INSERT INTO dbo.model_settlement (block, [bit], settled)
SELECT s.block, s.[bit], s.settled
FROM ? AS s
WHERE NOT EXISTS (SELECT 1 FROM dbo.model_settlement AS t WHERE t.block = s.block AND t.[bit] = s.[bit]);
