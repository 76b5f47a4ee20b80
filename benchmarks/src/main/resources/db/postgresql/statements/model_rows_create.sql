-- model_rows_create: a row for each settlement.
-- Called by:   PostgresModel, once, after model_create.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE model_settled_row (
    sequence bigint   NOT NULL,
    bit      smallint NOT NULL,
    PRIMARY KEY (sequence, bit)
);
