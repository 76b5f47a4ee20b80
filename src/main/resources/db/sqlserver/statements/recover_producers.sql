-- recover_producers: every producer.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_producers.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_producers @shard_id = ?;
