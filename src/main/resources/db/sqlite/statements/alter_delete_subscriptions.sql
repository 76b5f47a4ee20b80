-- alter_delete_subscriptions: removes the subscriptions of an address: nobody owes its messages from then on.
-- Called by:   SqliteCatalog, once per change.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: index of a_bit_has_one_subscription.
-- Changes:     any number of rows.
DELETE FROM subscription
WHERE address_id = ?1;
