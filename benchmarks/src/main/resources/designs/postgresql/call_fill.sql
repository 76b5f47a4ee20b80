-- call_fill: makes the slots.
CALL fill(?, ?);
