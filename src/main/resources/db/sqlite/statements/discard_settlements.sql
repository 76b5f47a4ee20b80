-- discard_settlements: deletes the ledger of blocks that have no backlog row of the address left.
-- Called by:   SqliteDiscard, second.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of backlog_settlement, a range; index backlog_by_address.
-- Changes:     one row per emptied block and bit.
DELETE FROM backlog_settlement AS l
WHERE l.address_id = ?1
  AND l.block BETWEEN ?2 AND ?3
  AND NOT EXISTS (
      SELECT 1
      FROM backlog AS m
      WHERE m.address_id = ?1 AND m.sequence BETWEEN l.block * 1024 AND l.block * 1024 + 1023);
