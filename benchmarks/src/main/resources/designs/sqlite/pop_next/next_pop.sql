-- next_pop: takes the number of the subscriber's next message.
-- Parameter: subscriber.
UPDATE counters SET number = number + 1 WHERE source = 'pop_numbers_' || ?1 RETURNING number;
