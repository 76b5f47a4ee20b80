-- check_owner: locks the owner row until the end of the transaction and checks the epoch of the caller.
-- Called by:   statements/check_owner.sql; discard, lay_ring, prepare_segments, reclaim, first in their transactions.
-- Locks:       FOR NO KEY UPDATE on the owner row until commit.
-- Access path: shard_pk.
-- Changes:     nothing; answers gate and capacity, or raises RT015.
DROP FUNCTION IF EXISTS ringtable.check_owner;

CREATE FUNCTION ringtable.check_owner(p_shard_id integer, p_epoch bigint, OUT o_gate bigint, OUT o_capacity bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch, gate, capacity
    INTO v_epoch, o_gate, o_capacity
    FROM ringtable.shard
    WHERE shard_id = p_shard_id
    FOR NO KEY UPDATE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.check_owner IS
    'Locks the owner row until the end of the transaction and checks the epoch of the caller';
