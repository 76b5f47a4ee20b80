-- naive_create: the table of the naive queue, clustered on the number that orders it.
-- Called by:   NaiveWorkload, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE dbo.naive_queue (
    message_id bigint         NOT NULL,
    time       datetime2      NULL,
    message    varbinary(max) NULL,
    CONSTRAINT naive_queue_pk PRIMARY KEY CLUSTERED (message_id)
);
