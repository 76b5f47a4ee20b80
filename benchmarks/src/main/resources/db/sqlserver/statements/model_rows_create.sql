-- model_rows_create: a row for each settlement.
-- Called by:   SqlserverModel, once, after model_create.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE dbo.model_settled_row (
    sequence bigint   NOT NULL,
    [bit]    smallint NOT NULL,
    CONSTRAINT model_settled_row_pk PRIMARY KEY CLUSTERED (sequence, [bit])
);
