-- pop_current: a popper looks at the number that comes next, and takes it once it has the message.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": LmaxPop of the addendum, for production.
-- Differs: the message's number stays in the slot, so that the popper sees which one it has.
CREATE FUNCTION next_pop(its_subscriber integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN coming_number('pop_numbers_' || its_subscriber);
END $$;

CREATE FUNCTION pop_one(INOUT number bigint, its_subscriber integer, ring_size bigint, OUT id bigint, OUT body text)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ring
    SET time = clock_timestamp(),
        reference_count = reference_count - 1
    WHERE slot = slot_key(number % ring_size) AND reference_count > 0
    RETURNING message_id, message INTO id, body;
    IF FOUND THEN
        PERFORM next_number('pop_numbers_' || its_subscriber);
    END IF;
    number := NULL;
END $$;
