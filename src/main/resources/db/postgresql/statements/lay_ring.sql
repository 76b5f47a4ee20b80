-- lay_ring: gives the shard its ring, once in its life, or checks its capacity.
-- Called by:   PostgresqlWriter.lay.
-- Locks:       the owner row until commit.
-- Access path: primary key of shard.
-- Changes:     the owner row, or nothing.
SELECT ringtable.lay_ring(p_shard_id => ?, p_epoch => ?, p_capacity => ?);
