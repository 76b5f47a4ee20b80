-- call_fill: makes the slots.
EXECUTE dbo.fill ?, ?;
