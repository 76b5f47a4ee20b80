-- What keeps messages from being stored twice is written by the flush that stores them: the number that a producer has come to,
-- and the ids of messages that carry one.

-- Raises the numbers of producers. Answers how many there were: one that is there and does not go back.
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

-- Overwrites the oldest ids of their windows. Answers how many: a younger one is never overwritten.
CREATE FUNCTION ringtable.keep_duplicate_ids(
    p_shard_id integer,
    p_address_id bigint[],
    p_position integer[],
    p_ordinal bigint[],
    p_id bytea[])
RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_kept bigint;
BEGIN
    INSERT INTO ringtable.duplicate_id AS d (shard_id, address_id, position, ordinal, id)
    SELECT p_shard_id, n.address_id, n.position, n.ordinal, n.id
    FROM unnest(p_address_id, p_position, p_ordinal, p_id) AS n (address_id, position, ordinal, id)
    ON CONFLICT (shard_id, address_id, position) DO UPDATE SET ordinal = excluded.ordinal, id = excluded.id
        WHERE d.ordinal <= excluded.ordinal;
    GET DIAGNOSTICS v_kept = ROW_COUNT;
    RETURN v_kept;
END
$$;

COMMENT ON FUNCTION ringtable.keep_duplicate_ids IS 'Keeps the ids of messages that a flush has stored';

-- A batch with messages that are stored once: makes it durable together with what says so, or neither. It may have something of the
-- inbox in it as well. Apart from flush, which stays what it was for everybody else.
CREATE FUNCTION ringtable.flush_once(
    p_shard_id integer,
    p_epoch bigint,
    p_gate bigint,
    p_dispatch_bound bigint,
    p_first_sequence bigint,
    p_claims integer,
    p_address_id bigint[],
    p_pending bigint[],
    p_published_at timestamptz[],
    p_priority smallint[],
    p_expires_at timestamptz[],
    p_deliver_at timestamptz[],
    p_group_no smallint[],
    p_body_id bigint[],
    p_body_bytes integer[],
    p_body bytea[],
    p_block bigint[],
    p_bit smallint[],
    p_settled bytea[],
    p_backlog_address_id bigint[],
    p_backlog_block bigint[],
    p_backlog_bit smallint[],
    p_backlog_settled bytea[],
    p_redelivery_sequence bigint[],
    p_redelivery_subscription_id bigint[],
    p_redelivery_count integer[],
    p_redelivery_not_before timestamptz[],
    p_dispatched_subscription_id bigint[],
    p_dispatched_to bigint[],
    p_inbox_ids bigint[],
    p_producer_id bigint[],
    p_producer_last_number bigint[],
    p_producer_used_at timestamptz[],
    p_duplicate_address_id bigint[],
    p_duplicate_position integer[],
    p_duplicate_ordinal bigint[],
    p_duplicate_id bytea[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_changed bigint;
BEGIN
    -- Locks the owner row and checks the epoch first: a former owner changes nothing.
    IF cardinality(p_inbox_ids) > 0 THEN
        PERFORM ringtable.flush_inbox(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims, p_address_id,
            p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id, p_body_bytes, p_body,
            p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled,
            p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before,
            p_dispatched_subscription_id, p_dispatched_to, p_inbox_ids);
    ELSE
        PERFORM ringtable.flush(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims, p_address_id,
            p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id, p_body_bytes, p_body,
            p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled,
            p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before,
            p_dispatched_subscription_id, p_dispatched_to);
    END IF;
    IF cardinality(p_producer_id) > 0 THEN
        v_changed := ringtable.raise_producers(p_shard_id, p_producer_id, p_producer_last_number, p_producer_used_at);
        IF v_changed <> cardinality(p_producer_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('producer: %s rows changed where %s must', v_changed, cardinality(p_producer_id));
        END IF;
    END IF;
    IF cardinality(p_duplicate_id) > 0 THEN
        v_changed := ringtable.keep_duplicate_ids(p_shard_id, p_duplicate_address_id, p_duplicate_position,
            p_duplicate_ordinal, p_duplicate_id);
        IF v_changed <> cardinality(p_duplicate_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('duplicate_id: %s rows changed where %s must', v_changed, cardinality(p_duplicate_id));
        END IF;
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush_once IS 'Makes one batch durable together with what keeps its messages from being stored twice';
