-- call_pop: pops until the time is over.
CALL pop(?, clock_timestamp() + ? * interval '1 microsecond', ?, ?, ?, ?, ?, 0, 0, 0, 0);
