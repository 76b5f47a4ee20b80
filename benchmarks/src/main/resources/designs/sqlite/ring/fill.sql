-- fill: makes the slots, as large as the messages will be.
-- Parameters: ring's size, bytes of a body.
INSERT INTO ring (slot, time, message, reference_count)
WITH RECURSIVE slots (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM slots WHERE slot < ?1 - 1)
SELECT slot_key(slot), '2050-01-01 00:00:00', printf('%-*s', ?2, 'dummy'), 0 FROM slots ORDER BY 1;
