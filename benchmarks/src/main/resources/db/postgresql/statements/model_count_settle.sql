-- model_count_settle: counts down the readers of each message, for one subscriber.
-- Called by:   PostgresModel, once per flush and subscriber.
-- Locks:       the rows of the messages.
-- Access path: primary key of model_slot.
-- Changes:     one row per message.
UPDATE model_slot SET reference_count = reference_count - 1
WHERE sequence >= ? AND sequence < ?;
