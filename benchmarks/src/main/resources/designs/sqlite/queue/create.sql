-- The naive queue: a row for each message and subscriber, inserted and deleted in the order of a B-tree.
-- Source: Kejser, "Table Pattern: Database Message Queues": push and pop naive.
CREATE TABLE queue (
    subscriber integer NOT NULL,
    message_id integer NOT NULL,
    time       text    NOT NULL,
    message    text    NOT NULL,
    PRIMARY KEY (subscriber, message_id)
) WITHOUT ROWID;
CREATE VIEW owed AS SELECT count(*) AS messages FROM queue;
