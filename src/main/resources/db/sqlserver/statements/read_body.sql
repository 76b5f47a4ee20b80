-- read_body: the chunks of a body, in order.
-- Called by:   SqlserverReader.readBody.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_body.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_body @shard_id = ?, @body_id = ?;
