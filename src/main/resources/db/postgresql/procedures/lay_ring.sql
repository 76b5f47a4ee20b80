-- lay_ring: gives the shard its ring, once in its life, or checks that it has the capacity that the caller wants.
-- Called by:   statements/lay_ring.sql, at each start.
-- Locks:       the owner row until commit.
-- Access path: shard_pk.
-- Changes:     the owner row, or nothing; raises RT017 if the ring has another capacity.
--
-- From then on the shard gives ids, the first of which is shard * 2^40: so an id of an address, a subscription or a
-- producer tells its shard.
DROP FUNCTION IF EXISTS ringtable.lay_ring;

CREATE FUNCTION ringtable.lay_ring(p_shard_id integer, p_epoch bigint, p_capacity bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_gate     bigint;
    v_capacity bigint;
BEGIN
    SELECT o_gate, o_capacity INTO v_gate, v_capacity FROM ringtable.check_owner(p_shard_id, p_epoch);
    IF v_capacity IS NULL THEN
        UPDATE ringtable.shard
        SET capacity = p_capacity, next_id = p_shard_id::bigint << 40
        WHERE shard_id = p_shard_id;
    ELSIF v_capacity <> p_capacity THEN
        RAISE EXCEPTION USING ERRCODE = 'RT017',
            MESSAGE = format('ring.capacity=%s is not the capacity %s that the ring of shard %s was laid with',
                p_capacity, v_capacity, p_shard_id);
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.lay_ring IS 'Gives the shard its ring, once in its life, or checks its capacity';
