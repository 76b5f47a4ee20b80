-- read_orphans: bodies that no message names.
-- Called by:   PostgresqlReader.orphanedBodies, at recovery and when a claim was given up.
-- Locks:       see procedures/read_orphans.sql.
-- Access path: see procedures/read_orphans.sql.
-- Changes:     nothing.
SELECT body_id
FROM ringtable.read_orphans(p_shard_id => ?) AS o (body_id);
