-- prepare_segments: empties one segment that the gate has passed and gives every sequence of the ring its segment.
-- Called by:   statements/prepare_segments.sql, after the gate was raised; again until it answers false.
-- Locks:       the owner row until commit; ACCESS EXCLUSIVE on the segment to be emptied, NOWAIT.
-- Access path: segment by shard.
-- Changes:     at most one segment is emptied; rows of segment. Answers whether it should be called again.
--
-- The sequences of the ring are those from the gate to gate + capacity - 1.
DROP FUNCTION IF EXISTS ringtable.prepare_segments;

CREATE FUNCTION ringtable.prepare_segments(p_shard_id integer, p_epoch bigint, p_next bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_gate     bigint;
    v_capacity bigint;
    v_size     bigint;
    v_ordinal  bigint;
    v_segment  smallint;
    v_emptied  boolean := false;
BEGIN
    SELECT o_gate, o_capacity, o_capacity / 8
    INTO v_gate, v_capacity, v_size
    FROM ringtable.check_owner(p_shard_id, p_epoch);

    FOR v_segment IN
        SELECT segment
        FROM ringtable.segment
        WHERE shard_id = p_shard_id AND (ordinal + 1) * v_size <= v_gate
        ORDER BY ordinal
    LOOP
        BEGIN
            -- Waits for no reader: the segment stays as it is, and another one takes its place in the ring.
            EXECUTE format('LOCK TABLE ringtable.slot_%s, ringtable.settlement_%s IN ACCESS EXCLUSIVE MODE NOWAIT',
                v_segment, v_segment);
            EXECUTE format('TRUNCATE TABLE ringtable.slot_%s, ringtable.settlement_%s', v_segment, v_segment);
            UPDATE ringtable.segment SET ordinal = NULL, summarized = false WHERE segment = v_segment;
            v_emptied := true;
        EXCEPTION
            WHEN lock_not_available THEN
                v_emptied := false;
        END;
        EXIT WHEN v_emptied;
    END LOOP;

    FOR v_ordinal IN
        SELECT o.ordinal
        FROM generate_series(v_gate / v_size, (v_gate + v_capacity - 1) / v_size) AS o (ordinal)
        WHERE NOT EXISTS (SELECT FROM ringtable.segment AS g WHERE g.shard_id = p_shard_id AND g.ordinal = o.ordinal)
        ORDER BY o.ordinal
    LOOP
        SELECT min(segment) INTO v_segment FROM ringtable.segment WHERE shard_id = p_shard_id AND ordinal IS NULL;
        IF v_segment IS NULL THEN
            v_segment := ringtable.add_segment(p_shard_id);
        END IF;
        UPDATE ringtable.segment SET ordinal = v_ordinal WHERE segment = v_segment;
    END LOOP;

    -- Segments that no claim will touch again tell their index which pages hold which sequences.
    FOR v_segment IN
        SELECT segment
        FROM ringtable.segment
        WHERE shard_id = p_shard_id
          AND NOT summarized
          AND (ordinal + 1) * v_size <= p_next
          AND ordinal >= v_gate / v_size
    LOOP
        BEGIN
            EXECUTE format('LOCK TABLE ringtable.slot_%s IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', v_segment);
            PERFORM brin_summarize_new_values(format('ringtable.slot_%s_brin', v_segment)::regclass);
            UPDATE ringtable.segment SET summarized = true WHERE segment = v_segment;
        EXCEPTION
            WHEN lock_not_available THEN
                NULL; -- a DBA is at work in it; until the next time its pages are read one and all
        END;
    END LOOP;
    RETURN v_emptied;
END
$$;

COMMENT ON FUNCTION ringtable.prepare_segments IS
    'Empties one segment that the durable gate has passed and gives every sequence below gate + capacity a segment';
