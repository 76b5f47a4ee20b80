-- recover_highest: the sequence after the last one in the ring, or the gate of an empty ring.
-- Called by:   statements/recover_highest.sql, before the first flush and whenever the ring is looked after.
-- Locks:       ACCESS SHARE on segments of the shard, from the last one down to the first that is not empty.
-- Access path: shard_pk, segment_holds_one_stretch; slot_<segment>_brin.
-- Changes:     nothing; NULL if there is no such shard.
--
-- A statement that joins slot with segment would lock the segments of all shards, and those that a neighbour is about
-- to empty could not be emptied.
DROP FUNCTION IF EXISTS ringtable.recover_highest;

CREATE FUNCTION ringtable.recover_highest(p_shard_id integer) RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan -- so that only the segment in question is locked and read
SET enable_seqscan = off -- nobody analyses a segment
AS $$
DECLARE
    v_gate    bigint;
    v_segment smallint;
    v_highest bigint;
BEGIN
    SELECT h.gate INTO v_gate FROM ringtable.shard AS h WHERE h.shard_id = p_shard_id;
    FOR v_segment IN
        SELECT g.segment
        FROM ringtable.shard AS h
        JOIN ringtable.segment AS g ON g.shard_id = h.shard_id
        WHERE h.shard_id = p_shard_id AND (g.ordinal + 1) * (h.capacity / 8) > h.gate
        ORDER BY g.ordinal DESC
    LOOP
        SELECT max(s.sequence)
        INTO v_highest
        FROM ringtable.slot AS s
        WHERE s.segment = v_segment AND s.sequence >= v_gate;
        IF v_highest IS NOT NULL THEN
            RETURN v_highest + 1;
        END IF;
    END LOOP;
    RETURN v_gate;
END
$$;

COMMENT ON FUNCTION ringtable.recover_highest IS 'The sequence after the last one in the ring of a shard';
