-- Numbers from a row each, one for pushes and one for each subscriber's pops: SQLite has no sequences.
CREATE TABLE counters (source text PRIMARY KEY, number integer NOT NULL) WITHOUT ROWID;
INSERT INTO counters (source, number) VALUES ('push_numbers', 0);
INSERT INTO counters (source, number)
WITH RECURSIVE subscribers (subscriber) AS (
    SELECT 0 UNION ALL SELECT subscriber + 1 FROM subscribers WHERE subscriber < 9)
SELECT 'pop_numbers_' || subscriber, 0 FROM subscribers;
