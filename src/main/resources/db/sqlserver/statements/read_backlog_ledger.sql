-- read_backlog_ledger: the ledger of an address's backlog.
-- Called by:   SqlserverReader.readBacklogLedger.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_backlog_ledger.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog_ledger @shard_id = ?, @address_id = ?;
