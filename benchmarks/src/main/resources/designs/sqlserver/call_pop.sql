-- call_pop: pops until the time is over.
EXECUTE dbo.pop ?, ?, ?, ?, ?, ?, ?;
