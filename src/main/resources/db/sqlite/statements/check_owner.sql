-- check_owner: epoch, gate and capacity of the shard.
-- Called by:   every verb with an epoch, first in its transaction; acquire, for the epoch before; checkOwner; copies.
-- Locks:       none of its own; a writing verb holds the write lock already.
-- Access path: primary key of shard.
-- Changes:     nothing.
SELECT epoch, gate, capacity
FROM shard
WHERE shard_id = 0;
