-- Slots that are there from the beginning and are updated in place, each with a count of its readers.
-- Source: Kejser, "Table Pattern: Database Message Queues": push LMAX'ed; "variants can be done if you have multiple
--         subscribers".
CREATE TABLE ring (
    slot            integer PRIMARY KEY,
    message_id      integer,
    time            text    NOT NULL,
    message         text    NOT NULL,
    reference_count integer NOT NULL
);
CREATE VIEW owed AS SELECT sum(reference_count) AS messages FROM ring;
