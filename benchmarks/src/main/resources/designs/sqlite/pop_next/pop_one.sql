-- pop_one: reads whatever message is in the slot. A popper that finds none goes on to the next slot, and what is pushed
--          there comes a lap later.
-- Parameters: number, subscriber, ring's size.
-- Source:  Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": the first LmaxPop, and the comment that it
--          overtakes the pushers.
-- Differs: the message's number stays in the slot, so that the popper sees which one it has.
UPDATE ring SET time = datetime(), reference_count = reference_count - 1
WHERE slot = slot_key(?1 % ?3) AND reference_count > 0
RETURNING message_id, message;
