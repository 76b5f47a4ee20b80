-- recover_backlog: what each address has in the backlog.
-- Called by:   SqlserverRecovery, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/recover_backlog.sql.
-- Changes:     nothing.
EXECUTE ringtable.recover_backlog @shard_id = ?;
