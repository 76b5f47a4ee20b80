-- recover_settlements: the ledger of the ring.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       none.
-- Access path: the ledgers of the segments of the shard.
-- Changes:     nothing.
SELECT l.block, l.bit, l.settled
FROM ringtable.settlement AS l
JOIN ringtable.segment AS g ON g.segment = l.segment
WHERE g.shard_id = ? AND l.block >= ?::bigint / 1024
ORDER BY l.block, l.bit;
