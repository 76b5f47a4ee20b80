-- read_backlog_ledger: the ledger of the backlog of an address.
-- Called by:   SqliteReader.readBacklogLedger, when a subscription begins to read the backlog.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of backlog_settlement, a range.
-- Changes:     nothing.
SELECT address_id, block, bit, settled
FROM backlog_settlement
WHERE address_id = ?1
ORDER BY block, bit;
