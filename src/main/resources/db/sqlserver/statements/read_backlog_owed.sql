-- read_backlog_owed: how many messages of a stretch of a backlog each subscription still owes.
-- Called by:   SqlserverReader.countBacklog.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_backlog_owed.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog_owed @shard_id = ?, @address_id = ?, @from_sequence = ?, @to_sequence = ?;
