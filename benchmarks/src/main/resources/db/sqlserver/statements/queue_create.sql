-- queue_create: the naive queue of the clients, clustered on the number that orders it.
-- Called by:   NaiveQueue, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE dbo.queue_message (
    message_id bigint         IDENTITY NOT NULL,
    body       varbinary(max) NOT NULL,
    CONSTRAINT queue_message_pk PRIMARY KEY CLUSTERED (message_id)
);
