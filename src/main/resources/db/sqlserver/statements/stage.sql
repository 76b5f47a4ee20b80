-- stage: stores a chunk of a large body before the flush that claims its message.
-- Called by:   SqlserverRingStore.stage, once per MiB.
-- Locks:       the lease, and the new row; waits for no flush.
-- Access path: see procedures/stage.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.stage @shard_id = ?, @epoch = ?, @body_id = ?, @chunk = ?, @chunks = ?, @data = ?;
