-- read_message: one message wherever it lies, with the bits that its row names and those that still owe it.
-- Called by:   SqlserverReader.readMessage.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_message.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_message @shard_id = ?, @sequence = ?;
