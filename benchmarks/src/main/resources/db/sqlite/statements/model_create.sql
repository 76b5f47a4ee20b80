-- model_create: slots that batches overwrite in order, and the ledger of settlements.
-- Called by:   SqliteModel, once.
-- Locks:       the file's write lock.
-- Access path: none.
-- Changes:     the schema, and one row per slot.
CREATE TABLE model_slot (
    slot            integer PRIMARY KEY,
    sequence        integer NOT NULL,
    address_id      integer NOT NULL,
    pending         integer NOT NULL,
    reference_count integer NOT NULL,
    published_at    integer NOT NULL,
    body            blob    NOT NULL
);
INSERT INTO model_slot (slot, sequence, address_id, pending, reference_count, published_at, body)
WITH RECURSIVE slots (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM slots WHERE slot < 65535)
SELECT slot_key(slot), slot - 65536, 1, 0, 0, 0, zeroblob(300) FROM slots ORDER BY 1;
CREATE TABLE model_settlement (
    block   integer NOT NULL,
    bit     integer NOT NULL,
    settled blob    NOT NULL,
    PRIMARY KEY (block, bit)
) WITHOUT ROWID;
