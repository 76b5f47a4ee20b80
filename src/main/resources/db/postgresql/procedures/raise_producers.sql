-- raise_producers: raises the numbers that producers have come to.
-- Called by:   flush_once.
-- Locks:       the rows that it changes.
-- Access path: producer_pk, one row per producer.
-- Changes:     any number of rows; answers how many: those that are there and do not go back.
DROP FUNCTION IF EXISTS ringtable.raise_producers;

CREATE FUNCTION ringtable.raise_producers(
    p_shard_id integer,
    p_producer_id bigint[],
    p_last_number bigint[],
    p_used_at timestamptz[])
RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- whatever statistics say of a table that was empty
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_raised bigint;
BEGIN
    UPDATE ringtable.producer AS p
    SET last_number = n.last_number, used_at = n.used_at
    FROM unnest(p_producer_id, p_last_number, p_used_at) AS n (producer_id, last_number, used_at)
    WHERE p.shard_id = p_shard_id AND p.producer_id = n.producer_id AND p.last_number <= n.last_number;
    GET DIAGNOSTICS v_raised = ROW_COUNT;
    RETURN v_raised;
END
$$;

COMMENT ON FUNCTION ringtable.raise_producers IS 'Raises the numbers of producers whose messages a flush has stored';
