-- model_create: a table that batches are appended to, and the ledger of settlements.
-- Called by:   PostgresModel, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE model_slot (
    sequence        bigint      NOT NULL,
    address_id      bigint      NOT NULL,
    pending         bigint      NOT NULL,
    reference_count smallint    NOT NULL,
    published_at    timestamptz NOT NULL,
    body            bytea       NOT NULL
);
ALTER TABLE model_slot ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE model_settlement (
    block   bigint   NOT NULL,
    bit     smallint NOT NULL,
    settled bytea    NOT NULL,
    PRIMARY KEY (block, bit)
);
