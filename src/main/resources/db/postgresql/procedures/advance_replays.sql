-- advance_replays: notes how far the copies for subscriptions that began in the past have come.
-- Called by:   flush_once.
-- Locks:       the rows that it changes.
-- Access path: replay_pk, one row per subscription.
-- Changes:     any number of rows; answers how many: those that are there, are not finished and do not go back.
DROP FUNCTION IF EXISTS ringtable.advance_replays;

CREATE FUNCTION ringtable.advance_replays(p_shard_id integer, p_subscription_id bigint[], p_position bigint[])
RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- whatever statistics say of a table that was empty
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_advanced bigint;
BEGIN
    UPDATE ringtable.replay AS r
    SET position = n.position
    FROM unnest(p_subscription_id, p_position) AS n (subscription_id, position)
    WHERE r.shard_id = p_shard_id
      AND r.subscription_id = n.subscription_id
      AND r.position <= n.position
      AND NOT r.finished;
    GET DIAGNOSTICS v_advanced = ROW_COUNT;
    RETURN v_advanced;
END
$$;

COMMENT ON FUNCTION ringtable.advance_replays IS
    'Notes how far the copies of a flush take subscriptions that began in the past';
