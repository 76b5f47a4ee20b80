-- push_one: puts the message into its slot, if all have read the one before.
-- Parameters: number, body, subscribers, ring's size.
UPDATE ring
SET time = datetime(), message = ?2, message_id = ?1, reference_count = reference_count + ?3
WHERE slot = slot_key(?1 % ?4) AND reference_count = 0;
