-- flush_once: makes a batch durable with messages that are stored or copied once, together with what says so.
-- Called by:   statements/flush_once.sql, for such a batch in place of flush.
-- Locks:       as flush or flush_inbox, which comes first; then the rows of producers, ids and replays.
-- Access path: as flush and flush_inbox; producer_pk, duplicate_id_pk, replay_pk.
-- Changes:     as flush and flush_inbox, and one row per producer, id and replay, or nothing.
--
-- Apart from flush, which stays as short as it is for everybody else. The batch may have something of the inbox in it
-- as well.
DROP FUNCTION IF EXISTS ringtable.flush_once;

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
    p_login_id integer[],
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
    p_duplicate_id bytea[],
    p_replay_subscription_id bigint[],
    p_replay_position bigint[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_changed bigint;
BEGIN
    -- Locks the owner row and checks the epoch first: a former owner changes nothing.
    IF cardinality(p_inbox_ids) > 0 THEN
        PERFORM ringtable.flush_inbox(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims,
            p_address_id, p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id,
            p_body_bytes, p_body, p_login_id, p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block,
            p_backlog_bit, p_backlog_settled, p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count,
            p_redelivery_not_before, p_dispatched_subscription_id, p_dispatched_to, p_inbox_ids);
    ELSE
        PERFORM ringtable.flush(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims,
            p_address_id, p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id,
            p_body_bytes, p_body, p_login_id, p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block,
            p_backlog_bit, p_backlog_settled, p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count,
            p_redelivery_not_before, p_dispatched_subscription_id, p_dispatched_to);
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
    IF cardinality(p_replay_subscription_id) > 0 THEN
        v_changed := ringtable.advance_replays(p_shard_id, p_replay_subscription_id, p_replay_position);
        IF v_changed <> cardinality(p_replay_subscription_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('replay: %s rows changed where %s must', v_changed,
                    cardinality(p_replay_subscription_id));
        END IF;
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush_once IS
    'Makes one batch durable together with what keeps its messages from being stored twice';
