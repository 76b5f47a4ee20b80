-- model_create: slots that batches overwrite, the ledger of settlements, and the lists that a flush passes.
-- Called by:   SqlserverModel, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE dbo.model_slot (
    slot            bigint          NOT NULL,
    sequence        bigint          NOT NULL,
    address_id      bigint          NOT NULL,
    pending         bigint          NOT NULL,
    reference_count smallint        NOT NULL,
    published_at    datetime2       NOT NULL,
    body            varbinary(8000) NOT NULL,
    CONSTRAINT model_slot_pk PRIMARY KEY CLUSTERED (slot)
);
CREATE TABLE dbo.model_settlement (
    block   bigint      NOT NULL,
    [bit]   smallint    NOT NULL,
    settled binary(128) NOT NULL,
    CONSTRAINT model_settlement_pk PRIMARY KEY CLUSTERED (block, [bit])
);
CREATE TYPE dbo.model_message_list AS TABLE (
    sequence bigint          NOT NULL PRIMARY KEY,
    slot     bigint          NOT NULL,
    body     varbinary(8000) NOT NULL
);
CREATE TYPE dbo.model_place_list AS TABLE (
    sequence bigint NOT NULL PRIMARY KEY,
    slot     bigint NOT NULL
);
CREATE TYPE dbo.model_settlement_list AS TABLE (
    block   bigint      NOT NULL,
    [bit]   smallint    NOT NULL,
    settled binary(128) NOT NULL,
    PRIMARY KEY (block, [bit])
);
