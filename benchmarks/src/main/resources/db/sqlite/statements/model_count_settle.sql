-- model_count_settle: counts down the readers of a message.
-- Called by:   SqliteModel, once per settlement.
-- Locks:       the file's write lock.
-- Access path: primary key of model_slot.
-- Changes:     one row.
UPDATE model_slot SET reference_count = reference_count - 1 WHERE slot = ?1;
