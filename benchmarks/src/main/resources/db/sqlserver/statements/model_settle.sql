-- model_settle: overwrites the bitmaps of those blocks and bits that have one.
-- Called by:   SqlserverModel, once per flush, before model_settle_new.
-- Locks:       the rows of the ledger.
-- Access path: clustered key of model_settlement.
-- Changes:     one row per block and bit that is there.
UPDATE dbo.model_settlement
SET settled = s.settled
FROM ? AS s
WHERE s.block = model_settlement.block AND s.[bit] = model_settlement.[bit];
