-- recover_highest: the sequence after the last one in the ring, or the gate of an empty ring.
-- Called by:   PostgresqlFlush, before the first claims of a connection that has not recovered.
-- Locks:       see procedures/recover_highest.sql.
-- Access path: see procedures/recover_highest.sql.
-- Changes:     nothing.
SELECT ringtable.recover_highest(p_shard_id => ?);
