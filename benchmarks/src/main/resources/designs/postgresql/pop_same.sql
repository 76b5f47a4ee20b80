-- pop_same: a popper waits at its slot until its message is there.
-- Source: Kejser, "Table Pattern: Database Message Queues": pop LMAX'ed.
CREATE FUNCTION next_pop(its_subscriber integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN next_number('pop_numbers_' || its_subscriber);
END $$;

CREATE FUNCTION pop_one(INOUT number bigint, its_subscriber integer, ring_size bigint, OUT id bigint, OUT body text)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ring
    SET time = clock_timestamp(),
        message_id = CASE WHEN reference_count > 1 THEN message_id END,
        reference_count = reference_count - 1
    WHERE slot = slot_key(number % ring_size) AND message_id = number
    RETURNING number, message INTO id, body;
    IF FOUND THEN
        number := NULL;
    END IF;
END $$;
