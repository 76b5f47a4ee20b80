-- model_count_settle: counts down the readers of each message of a list, for one subscriber.
-- Called by:   SqlserverModel, once per flush and subscriber.
-- Locks:       the rows of the slots.
-- Access path: clustered key of model_slot.
-- Changes:     one row per message.
UPDATE dbo.model_slot
SET reference_count = model_slot.reference_count - 1
FROM ? AS p
WHERE p.slot = model_slot.slot;
