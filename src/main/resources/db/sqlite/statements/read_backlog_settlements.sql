-- read_backlog_settlements: what has been settled in one block of the backlog of an address.
-- Called by:   SqliteReader.readBacklog, once per block.
-- Locks:       none; reads one snapshot of the log.
-- Access path: primary key of backlog_settlement, a range.
-- Changes:     nothing.
SELECT bit, settled
FROM backlog_settlement
WHERE address_id = ?1 AND block = ?2;
