-- recover_settlements: the ledger of the ring.
-- Called by:   PostgresqlRecovery, once per ownership.
-- Locks:       see procedures/recover_settlements.sql.
-- Access path: see procedures/recover_settlements.sql.
-- Changes:     nothing.
SELECT o_block, o_bit, o_settled
FROM ringtable.recover_settlements(p_shard_id => ?, p_gate => ?);
