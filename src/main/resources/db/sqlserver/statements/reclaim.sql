-- reclaim: moves what is owed in a stretch of the ring to the backlog and raises the gate.
-- Called by:   SqlserverWriter.reclaim.
-- Locks:       the owner row, then portions of 1,024 rows; see procedures/reclaim.sql.
-- Access path: see procedures/reclaim.sql.
-- Changes:     backlog, ledger, summaries, gate; answers the summaries that grew.
EXECUTE ringtable.reclaim @shard_id = ?, @epoch = ?, @gate = ?, @new_gate = ?, @owed_expected = ?;
