-- recover_redeliveries: every failed delivery.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_redeliveries.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_redeliveries @shard_id = ?;
