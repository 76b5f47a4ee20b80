-- model_rows_create: a row for each settlement.
-- Called by:   SqliteModel, once, after model_create.
-- Locks:       the file's write lock.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE model_settled_row (
    sequence integer NOT NULL,
    bit      integer NOT NULL,
    PRIMARY KEY (sequence, bit)
) WITHOUT ROWID;
