-- model_fill: lays slots, which come in the order of their places.
-- Called by:   SqlserverModel, a few times, after model_create.
-- Locks:       row locks of its own rows.
-- Access path: the end of the clustered key of model_slot.
-- Changes:     one row per slot.
INSERT INTO dbo.model_slot (slot, sequence, address_id, pending, reference_count, published_at, body)
SELECT m.slot, m.sequence, 1, 0, 0, SYSUTCDATETIME(), m.body
FROM ? AS m
ORDER BY m.slot;
