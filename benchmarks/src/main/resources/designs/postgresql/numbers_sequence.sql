-- numbers_sequence: numbers from sequences, one for pushes and one for each subscriber's pops.
-- Source:  Kejser, "Table Pattern: Database Message Queues".
-- Differs: no CACHE. In PostgreSQL each session keeps a cache of its own: its numbers would come in blocks, and those
--          left in it when the session ends would never come.
CREATE SEQUENCE push_numbers;

DO $$
BEGIN
    FOR subscriber IN 0 .. 9 LOOP
        EXECUTE format('CREATE SEQUENCE pop_numbers_%s', subscriber);
    END LOOP;
END $$;

CREATE FUNCTION next_number(source text) RETURNS bigint LANGUAGE sql AS $$
    SELECT nextval(source::regclass);
$$;

CREATE FUNCTION coming_number(source text) RETURNS bigint LANGUAGE sql AS $$
    SELECT coalesce(pg_sequence_last_value(source::regclass), 0) + 1;
$$;
