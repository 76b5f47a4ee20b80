-- numbers_identity: numbers from an identity column, whose row is taken back at once.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": NonBlockingSequence.
-- Differs: the table is an ordinary one; the article says that the trick pays with a memory-optimised one only. The row
--          is taken back alone, since the messages of the batch before it stay.
CREATE TABLE push_numbers (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);

DO $$
BEGIN
    FOR subscriber IN 0 .. 9 LOOP
        EXECUTE format('CREATE TABLE pop_numbers_%s (LIKE push_numbers INCLUDING ALL)', subscriber);
    END LOOP;
END $$;

CREATE FUNCTION next_number(source text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    given bigint;
BEGIN
    BEGIN
        IF source = 'push_numbers' THEN
            INSERT INTO push_numbers DEFAULT VALUES RETURNING number INTO given;
        ELSE
            EXECUTE format('INSERT INTO %I DEFAULT VALUES RETURNING number', source) INTO given;
        END IF;
        RAISE EXCEPTION 'taken back';
    EXCEPTION
        WHEN raise_exception THEN -- the variable keeps the number
    END;
    RETURN given;
END $$;
