-- queue:   the naive queue: a row for each message and subscriber, inserted and deleted in the order of a B-tree.
-- Source:  Kejser, "Table Pattern: Database Message Queues": push and pop naive.
-- Differs: PostgreSQL's tables are heaps, so the order is the primary key's alone.
-- Calls:   first_message of first_*.sql.
CREATE TABLE queue (
    subscriber integer     NOT NULL,
    message_id bigint      NOT NULL,
    time       timestamptz NOT NULL,
    message    text        NOT NULL,
    PRIMARY KEY (subscriber, message_id)
);
ALTER TABLE queue ALTER COLUMN message SET STORAGE EXTERNAL; -- not compressed: messages seldom are blanks

CREATE PROCEDURE fill(ring_size bigint, body_bytes integer) LANGUAGE plpgsql AS $$
BEGIN
    NULL; -- it has no slots
END $$;

CREATE FUNCTION push_one(number bigint, body text, subscribers integer, ring_size bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO queue (subscriber, message_id, time, message)
    SELECT subscriber, number, clock_timestamp(), body FROM generate_series(0, subscribers - 1) AS subscriber;
    RETURN true;
END $$;

CREATE FUNCTION next_pop(its_subscriber integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN first_message(its_subscriber);
END $$;

CREATE FUNCTION pop_one(INOUT number bigint, its_subscriber integer, ring_size bigint, OUT id bigint, OUT body text)
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM queue WHERE subscriber = its_subscriber AND message_id = number
    RETURNING message_id, message INTO id, body;
    number := NULL; -- found or not, another message comes next
END $$;

CREATE VIEW owed AS SELECT count(*) AS messages FROM queue;
