-- flush_dispatched_to: notes how far a subscription that does not follow may have been delivered to.
-- Called by:   SqliteFlush, once per such subscription.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of subscription.
-- Changes:     one row, or none if the subscription has gone meanwhile.
UPDATE subscription
SET dispatched_to = nullif(?2, -1)
WHERE subscription_id = ?1;
