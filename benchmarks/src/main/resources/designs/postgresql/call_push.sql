-- call_push: pushes until the time is over.
CALL push(?, clock_timestamp() + ? * interval '1 microsecond', ?, ?, ?, ?, ?, 0, 0, 0, 0);
