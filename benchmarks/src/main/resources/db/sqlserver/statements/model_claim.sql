-- model_claim: overwrites the slots of a batch with its messages.
-- Called by:   SqlserverModel, once per flush.
-- Locks:       the rows of the slots.
-- Access path: clustered key of model_slot.
-- Changes:     one row per message.
UPDATE dbo.model_slot
SET sequence = m.sequence,
    address_id = 1,
    pending = ?,
    reference_count = ?,
    published_at = SYSUTCDATETIME(),
    body = m.body
FROM ? AS m
WHERE m.slot = model_slot.slot AND model_slot.sequence = m.sequence - 65536;
