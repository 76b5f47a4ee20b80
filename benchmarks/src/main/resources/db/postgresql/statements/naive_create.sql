-- naive_create: the table of the naive queue; PostgreSQL has heaps only, its order is the primary key's.
-- Called by:   NaiveWorkload, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE naive_queue (
    message_id bigint NOT NULL PRIMARY KEY DEFAULT nextval('naive_sequence'),
    time       timestamptz,
    message    bytea
);
