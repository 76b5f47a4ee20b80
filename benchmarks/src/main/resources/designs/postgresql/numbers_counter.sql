-- numbers_counter: numbers from a row each, which stays locked until the commit.
-- Source:  Kejser, "Table Pattern: Database Message Queues", which uses a sequence instead.
CREATE TABLE counters (source text PRIMARY KEY, number bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO counters (source, number) VALUES ('push_numbers', 0);
INSERT INTO counters (source, number)
SELECT 'pop_numbers_' || subscriber, 0 FROM generate_series(0, 9) AS subscriber;

CREATE FUNCTION next_number(its_source text) RETURNS bigint LANGUAGE sql AS $$
    UPDATE counters SET number = number + 1 WHERE source = its_source RETURNING number;
$$;
