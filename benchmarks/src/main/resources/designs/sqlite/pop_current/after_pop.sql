-- after_pop: takes the number of the message that was popped.
-- Parameter: subscriber.
UPDATE counters SET number = number + 1 WHERE source = 'pop_numbers_' || ?1;
