-- pop_next: a popper that finds its slot empty goes on to the next one. What is pushed there comes a lap later.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": the first LmaxPop, and the comment that it
--          overtakes the pushers.
-- Differs: the message's number stays in the slot, so that the popper sees which one it has.
CREATE FUNCTION next_pop(its_subscriber integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN next_number('pop_numbers_' || its_subscriber);
END $$;

CREATE FUNCTION pop_one(INOUT number bigint, its_subscriber integer, ring_size bigint, OUT id bigint, OUT body text)
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ring
    SET time = clock_timestamp(),
        reference_count = reference_count - 1
    WHERE slot = slot_key(number % ring_size) AND reference_count > 0
    RETURNING message_id, message INTO id, body;
    number := NULL;
END $$;
