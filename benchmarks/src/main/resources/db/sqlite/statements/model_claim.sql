-- model_claim: overwrites a slot with a message.
-- Called by:   SqliteModel, once per message.
-- Locks:       the file's write lock.
-- Access path: primary key of model_slot.
-- Changes:     one row.
UPDATE model_slot
SET sequence = ?1, address_id = 1, pending = ?2, reference_count = ?3, published_at = ?4, body = ?5
WHERE slot = ?6 AND sequence = ?7;
