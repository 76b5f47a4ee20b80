-- read_passed_on: the addresses whose messages are on their way through the inbox to other shards, and these shards.
-- Called by:   SqlserverReader.readPassedOn, once for each owner, then while an address has moved to another shard.
-- Locks:       shared, row by row; waits for no application.
-- Access path: see procedures/read_passed_on.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_passed_on @shard_id = ?;
