-- model_scattered_claim: overwrites the slots of a batch in place.
-- Called by:   PostgresModel, once per flush.
-- Locks:       the rows of the slots.
-- Access path: primary key of model_scattered.
-- Changes:     one row per message.
UPDATE model_scattered AS s
SET sequence = c.sequence, address_id = 1, pending = c.pending, reference_count = c.reference_count,
    published_at = clock_timestamp(), body = c.body
FROM (
    SELECT ? + row_number() OVER () - 1 AS sequence, ?::bigint AS pending, ?::smallint AS reference_count, b.body
    FROM unnest(?) AS b (body)) AS c
WHERE s.slot = reverse((c.sequence % 65536)::bit(32)::text)::bit(32)::bigint;
