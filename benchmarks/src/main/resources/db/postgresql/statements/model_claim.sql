-- model_claim: appends a batch of messages.
-- Called by:   PostgresModel, once per flush.
-- Locks:       none beyond the new rows.
-- Access path: the end of the table.
-- Changes:     one row per message.
INSERT INTO model_slot (sequence, address_id, pending, reference_count, published_at, body)
SELECT ? + row_number() OVER () - 1, 1, ?, ?, clock_timestamp(), c.body
FROM unnest(?) AS c (body);
