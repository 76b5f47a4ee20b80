-- session: pushes and pops one message after the other, a commit after each batch, until the time is over.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": the loops of LmaxPush and LmaxPop, their
--          pause of a millisecond, PushStats and PopStats.
-- Differs: a number that no message was pushed with, or popped by, is returned and taken up by the next call. A number
--          left behind would keep its slot empty for ever, and every popper that comes to it would wait there.
-- Calls:   next_number of numbers_*.sql; push_one, next_pop and pop_one of the design.
CREATE TABLE push_stats (session integer NOT NULL, messages bigint NOT NULL);
CREATE TABLE pop_stats (session integer NOT NULL, subscriber integer NOT NULL, messages bigint NOT NULL);

CREATE PROCEDURE push(
    most bigint, until timestamptz, batch integer, body_bytes integer, subscribers integer, ring_size bigint,
    INOUT number bigint, INOUT moved bigint, INOUT ids bigint, INOUT missed bigint, INOUT late bigint)
LANGUAGE plpgsql AS $$
DECLARE
    body text := rpad('Hello World', body_bytes);
BEGIN
    WHILE moved < most AND clock_timestamp() < until LOOP
        IF number IS NULL THEN
            number := next_number('push_numbers');
        END IF;
        IF push_one(number, body, subscribers, ring_size) THEN
            ids := ids + number;
            moved := moved + 1;
            number := NULL;
            IF moved % batch = 0 THEN
                COMMIT;
            END IF;
        ELSE
            missed := missed + 1;
            COMMIT; -- poppers may wait for what this session pushed
            PERFORM pg_sleep(0.001);
        END IF;
    END LOOP;
    INSERT INTO push_stats (session, messages) VALUES (pg_backend_pid(), moved);
    COMMIT;
END $$;

CREATE PROCEDURE pop(
    most bigint, until timestamptz, batch integer, body_bytes integer, its_subscriber integer, ring_size bigint,
    INOUT number bigint, INOUT moved bigint, INOUT ids bigint, INOUT missed bigint, INOUT late bigint)
LANGUAGE plpgsql AS $$
DECLARE
    id   bigint;
    body text;
    last bigint := 0;
BEGIN
    WHILE moved < most AND clock_timestamp() < until LOOP
        IF number IS NULL THEN
            number := next_pop(its_subscriber);
        END IF;
        SELECT p.number, p.id, p.body FROM pop_one(number, its_subscriber, ring_size) AS p INTO number, id, body;
        IF id IS NOT NULL THEN
            IF length(body) <> body_bytes THEN
                RAISE EXCEPTION 'message % has % bytes, and % were pushed', id, length(body), body_bytes;
            END IF;
            ids := ids + id;
            moved := moved + 1;
            late := late + (id < last)::integer;
            last := id;
            IF moved % batch = 0 THEN
                COMMIT;
            END IF;
        ELSE
            missed := missed + 1;
            COMMIT; -- pushers may wait for slots that this session freed
            PERFORM pg_sleep(0.001);
        END IF;
    END LOOP;
    INSERT INTO pop_stats (session, subscriber, messages) VALUES (pg_backend_pid(), its_subscriber, moved);
    COMMIT;
END $$;
