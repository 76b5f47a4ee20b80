-- recover_settlements: the ledger of the ring from the gate on, in order.
-- Called by:   statements/recover_settlements.sql, at recovery.
-- Locks:       ACCESS SHARE on the settlements of the segments of the shard, and of no other shard.
-- Access path: segment_holds_one_stretch; settlement_<segment>_pkey.
-- Changes:     nothing.
DROP FUNCTION IF EXISTS ringtable.recover_settlements;

CREATE FUNCTION ringtable.recover_settlements(p_shard_id integer, p_gate bigint)
RETURNS TABLE (
    o_block bigint,
    o_bit smallint,
    o_settled bytea)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan -- so that only the segments in question are locked and read
SET enable_seqscan = off -- nobody analyses a segment
AS $$
DECLARE
    v_segments smallint[];
BEGIN
    SELECT array_agg(g.segment)
    INTO v_segments
    FROM ringtable.segment AS g
    WHERE g.shard_id = p_shard_id AND g.ordinal IS NOT NULL;
    RETURN QUERY
    SELECT l.block, l.bit, l.settled
    FROM ringtable.settlement AS l
    WHERE l.segment = ANY (v_segments) AND l.block >= p_gate / 1024
    ORDER BY l.block, l.bit;
END
$$;

COMMENT ON FUNCTION ringtable.recover_settlements IS 'The ledger of the ring of a shard from the gate on';
