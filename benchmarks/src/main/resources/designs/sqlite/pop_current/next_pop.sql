-- next_pop: looks at the number that comes next, and leaves it.
-- Parameter: subscriber.
SELECT number + 1 FROM counters WHERE source = 'pop_numbers_' || ?1;
