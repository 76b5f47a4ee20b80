-- flush_inbox: makes a batch durable that has something of the inbox in it, and deletes those rows, or neither.
-- Called by:   statements/flush_inbox.sql, for such a batch in place of flush; flush_once.
-- Locks:       as flush, which comes first; then the rows of the inbox.
-- Access path: as flush; inbox_pk.
-- Changes:     as flush, and each row of the inbox that is named, or nothing.
--
-- Apart from flush, which stays as short as it is for everybody else.
DROP FUNCTION IF EXISTS ringtable.flush_inbox;

CREATE FUNCTION ringtable.flush_inbox(
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
    p_inbox_ids bigint[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_deleted bigint;
BEGIN
    -- Locks the owner row and checks the epoch first: a former owner deletes nothing.
    PERFORM ringtable.flush(p_shard_id, p_epoch, p_gate, p_dispatch_bound, p_first_sequence, p_claims, p_address_id,
        p_pending, p_published_at, p_priority, p_expires_at, p_deliver_at, p_group_no, p_body_id, p_body_bytes, p_body,
        p_login_id, p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled,
        p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before,
        p_dispatched_subscription_id, p_dispatched_to);
    v_deleted := ringtable.delete_from_inbox(p_shard_id, p_inbox_ids);
    -- Where nobody owes any of them no number tells whether an earlier try has committed, and it does no harm to find
    -- them gone.
    IF v_deleted <> cardinality(p_inbox_ids) AND p_claims > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('inbox: %s rows deleted where %s must', v_deleted, cardinality(p_inbox_ids));
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush_inbox IS
    'Makes one batch durable that has something of the inbox in it, and deletes its rows';
