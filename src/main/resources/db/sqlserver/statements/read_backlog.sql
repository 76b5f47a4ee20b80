-- read_backlog: messages of an address in the backlog that a bit still owes.
-- Called by:   SqlserverReader.readBacklog, a portion at a time.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_backlog.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog @shard_id = ?, @address_id = ?, @group_no = ?, @bit = ?, @after = ?, @rows_max = ?;
