-- acquire: takes the shard, or tells who has it.
-- Called by:   SqlserverOwnership.acquire.
-- Locks:       owner row and lease; a procedure of V007__lease.sql, which says it at its head.
-- Access path: a procedure of V007__lease.sql, which says it at its head.
-- Changes:     epoch and lease, or nothing; answers (epoch, holder, held_epoch, left_ms), held_epoch in both cases.
EXECUTE ringtable.acquire ?, ?, ?, ?;
