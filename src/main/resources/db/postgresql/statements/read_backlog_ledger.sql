-- read_backlog_ledger: the ledger of an address's backlog.
-- Called by:   PostgresqlReader.readBacklogLedger.
-- Locks:       none.
-- Access path: backlog_settlement_pk, a range.
-- Changes:     nothing.
SELECT address_id, block, bit, settled
FROM ringtable.backlog_settlement
WHERE shard_id = ? AND address_id = ?
ORDER BY block, bit;
