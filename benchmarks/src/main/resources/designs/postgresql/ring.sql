-- ring:    slots that are there from the beginning and are updated in place, each with a count of its readers.
-- Source:  Kejser, "Table Pattern: Database Message Queues": push LMAX'ed; "variants can be done if you have multiple
--          subscribers".
-- Differs: an update writes a new version of the row in PostgreSQL. Half of each page is left free for it, so that it
--          stays in its page and no index changes.
-- Calls:   slot_key of slots_*.sql.
CREATE TABLE ring (
    slot            bigint      NOT NULL,
    message_id      bigint,
    time            timestamptz NOT NULL,
    message         text        NOT NULL,
    reference_count smallint    NOT NULL
) WITH (fillfactor = 50);
ALTER TABLE ring ALTER COLUMN message SET STORAGE EXTERNAL; -- not compressed: messages seldom are blanks

CREATE PROCEDURE fill(ring_size bigint, body_bytes integer) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ring (slot, time, message, reference_count)
    SELECT slot_key(slot), '2050-01-01', rpad('dummy', least(body_bytes, 1000)), 0
    FROM generate_series(0, ring_size - 1) AS slot
    ORDER BY slot_key(slot);
    ALTER TABLE ring ADD PRIMARY KEY (slot);
END $$;

CREATE FUNCTION push_one(number bigint, body text, subscribers integer, ring_size bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ring
    SET time = clock_timestamp(),
        message = body,
        message_id = number,
        reference_count = reference_count + subscribers
    WHERE slot = slot_key(number % ring_size) AND reference_count = 0; -- don't overwrite
    RETURN FOUND;
END $$;

CREATE VIEW owed AS SELECT sum(reference_count) AS messages FROM ring;
