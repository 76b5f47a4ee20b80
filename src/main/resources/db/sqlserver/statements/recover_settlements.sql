-- recover_settlements: the ledger of the ring.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_settlements.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_settlements @shard_id = ?;
