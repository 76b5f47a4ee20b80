-- read_orphans: bodies that no message names.
-- Called by:   SqlserverReader.orphanedBodies, at recovery.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_orphans.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_orphans @shard_id = ?;
