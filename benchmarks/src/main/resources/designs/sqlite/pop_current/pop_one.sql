-- pop_one: reads whatever message is in the slot; only then its number is taken (after_pop).
-- Parameters: number, subscriber, ring's size.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": LmaxPop of the addendum, for production.
-- Differs: the message's number stays in the slot, so that the popper sees which one it has.
UPDATE ring SET time = datetime(), reference_count = reference_count - 1
WHERE slot = slot_key(?1 % ?3) AND reference_count > 0
RETURNING message_id, message;
