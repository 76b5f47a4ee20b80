-- read_orphans: bodies that neither a ring row from the gate on nor a backlog row names.
-- Called by:   statements/read_orphans.sql, at recovery and when a claim was given up.
-- Locks:       ACCESS SHARE on the segments of the shard, and of no other shard.
-- Access path: overflow_pk; slot_<segment>_brin, the whole ring; backlog_in_overflow.
-- Changes:     nothing.
--
-- Its second statement locks the segments first and takes its snapshot then. So a message that reclaim moves meanwhile
-- is in the one or in the other. The caller knows which bodies are claimed meanwhile, and spares them.
DROP FUNCTION IF EXISTS ringtable.read_orphans;

CREATE FUNCTION ringtable.read_orphans(p_shard_id integer) RETURNS SETOF bigint
LANGUAGE plpgsql
VOLATILE -- a snapshot for each statement, as above
SET plan_cache_mode = force_custom_plan -- so that only the segments in question are locked and read
SET enable_seqscan = off -- nobody analyses a segment
SET enable_hashjoin = off -- one look into the backlog for each body, however many rows it has
SET enable_mergejoin = off
AS $$
DECLARE
    v_segments smallint[];
BEGIN
    SELECT array_agg(g.segment)
    INTO v_segments
    FROM ringtable.segment AS g
    WHERE g.shard_id = p_shard_id AND g.ordinal IS NOT NULL;
    RETURN QUERY
    SELECT DISTINCT o.body_id
    FROM ringtable.overflow AS o
    WHERE o.shard_id = p_shard_id
      AND o.body_id NOT IN (SELECT s.body_id
                            FROM ringtable.shard AS h
                            JOIN ringtable.slot AS s ON s.sequence >= h.gate
                            WHERE h.shard_id = p_shard_id
                              AND s.segment = ANY (v_segments)
                              AND s.body_id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM ringtable.backlog AS b WHERE b.shard_id = p_shard_id AND b.body_id = o.body_id)
    ORDER BY o.body_id;
END
$$;

COMMENT ON FUNCTION ringtable.read_orphans IS 'Bodies in overflow that no message of the shard names';
