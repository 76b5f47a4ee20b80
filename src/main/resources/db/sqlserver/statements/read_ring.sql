-- read_ring: messages of the ring by sequence, with what is still owed.
-- Called by:   SqlserverReader.readRing.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_ring.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_ring @shard_id = ?, @sequences = ?;
