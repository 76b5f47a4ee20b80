-- oldest_owed_message: the message that has been owed for longest on each address, and who still owes it.
-- Called by:   people, on a running broker's database.
-- Locks:       ACCESS SHARE on every table; a segment that is to be emptied waits for its end.
-- Access path: the whole ring and backlog.
-- Changes:     nothing.
SELECT DISTINCT ON (shard_id, address)
       shard_id,
       address,
       sequence,
       place,
       published_at,
       clock_timestamp() - published_at AS age,
       client_id,
       subscription
FROM ringtable.owed
ORDER BY shard_id, address, sequence;
