-- model_scattered_create: slots that are there from the beginning, far apart if they follow one another.
-- Called by:   PostgresModel, once, after model_create.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema, and one row per slot.
CREATE TABLE model_scattered (
    slot            bigint      NOT NULL,
    sequence        bigint      NOT NULL,
    address_id      bigint      NOT NULL,
    pending         bigint      NOT NULL,
    reference_count smallint    NOT NULL,
    published_at    timestamptz NOT NULL,
    body            bytea       NOT NULL
) WITH (fillfactor = 50);
ALTER TABLE model_scattered ALTER COLUMN body SET STORAGE EXTERNAL;
INSERT INTO model_scattered
SELECT reverse(slot::bit(32)::text)::bit(32)::bigint AS place, -1, 1, 0, 0, '2050-01-01',
       decode(repeat('00', 300), 'hex')
FROM generate_series(0, 65535) AS slot
ORDER BY place;
ALTER TABLE model_scattered ADD PRIMARY KEY (slot);
