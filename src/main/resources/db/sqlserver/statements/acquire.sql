-- acquire: takes the shard, or tells who has it.
-- Called by:   SqlserverOwnership.acquire.
-- Locks:       owner row and lease; see procedures/acquire.sql.
-- Access path: see procedures/acquire.sql.
-- Changes:     epoch and lease, or nothing; answers (epoch, holder, held_epoch, left_ms), held_epoch in both cases.
EXECUTE ringtable.acquire @shard_id = ?, @node_id = ?, @node = ?, @lease_ms = ?;
