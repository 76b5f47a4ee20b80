-- check_owner: locks the owner row and checks the epoch.
-- Called by:   PostgresqlCatalog, PostgresqlRecovery, first in their transactions.
-- Locks:       FOR NO KEY UPDATE on the owner row until commit.
-- Access path: primary key of shard.
-- Changes:     nothing.
SELECT o_gate
FROM ringtable.check_owner(p_shard_id => ?, p_epoch => ?);
