-- next_push: takes the number of a message to be pushed.
UPDATE counters SET number = number + 1 WHERE source = 'push_numbers' RETURNING number;
