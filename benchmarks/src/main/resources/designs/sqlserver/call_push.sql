-- call_push: pushes until the time is over.
EXECUTE dbo.push ?, ?, ?, ?, ?, ?, ?;
