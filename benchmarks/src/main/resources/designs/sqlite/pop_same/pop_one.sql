-- pop_one: reads the message if it is there, and counts down its readers.
-- Parameters: number, subscriber, ring's size.
-- Source: Kejser, "Table Pattern: Database Message Queues": pop LMAX'ed.
UPDATE ring
SET time = datetime(),
    message_id = CASE WHEN reference_count > 1 THEN message_id END,
    reference_count = reference_count - 1
WHERE slot = slot_key(?1 % ?3) AND message_id = ?1
RETURNING ?1, message;
