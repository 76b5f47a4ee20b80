-- flush: makes one batch of claims, settlements, failed deliveries and bounds durable together.
-- Called by:   statements/flush.sql, once per batch, commit included; flush_inbox and flush_once.
-- Locks:       READ COMMITTED; the owner row until commit, the rows of the ledger; nothing else.
-- Access path: shard_pk; appends to the segment of each sequence; settlement_pk, backlog_settlement_pk, redelivery_pk.
-- Changes:     one row per message, and per block and bit; any other count raises RT016 and changes nothing.
--
-- Arrays of facts that most messages do not have (priority, expires_at, deliver_at, group_no, body_id, body_bytes) may
-- be empty: all messages have the usual value then. So may login_id, if all came from clients without a login.
DROP FUNCTION IF EXISTS ringtable.flush;

CREATE FUNCTION ringtable.flush(
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
    p_dispatched_to bigint[])
RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_epoch      bigint;
    v_gate       bigint;
    v_capacity   bigint;
    v_size       bigint;
    v_ordinal    bigint;
    v_segments   smallint[];
    v_unprepared bigint;
    v_changed    bigint;
BEGIN
    -- A statement of its own: what follows sees everything that was committed before the lock was given.
    SELECT epoch, gate, capacity, capacity / 8
    INTO v_epoch, v_gate, v_capacity, v_size
    FROM ringtable.shard
    WHERE shard_id = p_shard_id
    FOR NO KEY UPDATE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    IF v_gate <> p_gate THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('gate %s is not the gate %s of shard %s', p_gate, v_gate, p_shard_id);
    END IF;

    -- The segments that hold gate <= sequence < gate + capacity, in order, without a gap.
    SELECT v_gate / v_size, array_agg(segment ORDER BY ordinal)
    INTO v_ordinal, v_segments
    FROM ringtable.segment
    WHERE shard_id = p_shard_id AND ordinal >= v_gate / v_size;

    IF p_claims > 0 THEN
        IF p_first_sequence < v_gate OR p_first_sequence + p_claims > v_gate + v_capacity THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('sequences %s to %s are not between gate %s and gate + capacity %s', p_first_sequence,
                    p_first_sequence + p_claims - 1, v_gate, v_gate + v_capacity);
        END IF;
        v_unprepared := (p_first_sequence + p_claims - 1) / v_size;
        IF v_unprepared >= v_ordinal + coalesce(cardinality(v_segments), 0) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT018',
                MESSAGE = format('no segment is prepared for ordinal %s of shard %s', v_unprepared, p_shard_id);
        END IF;
        INSERT INTO ringtable.slot (segment, group_no, priority, reference_count, sequence, address_id, pending,
                                    published_at, expires_at, deliver_at, body_id, body_bytes, body, login_id)
        SELECT v_segments[1 + c.sequence / v_size - v_ordinal], coalesce(c.group_no, 0::smallint),
               coalesce(c.priority, 4::smallint), bit_count(c.pending::bit(64)), c.sequence, c.address_id, c.pending,
               c.published_at, c.expires_at, c.deliver_at, c.body_id, c.body_bytes, c.body, c.login_id
        FROM (SELECT generate_series(p_first_sequence, p_first_sequence + p_claims - 1) AS sequence,
                     unnest(p_address_id) AS address_id,
                     unnest(p_pending) AS pending,
                     unnest(p_published_at) AS published_at,
                     unnest(p_priority) AS priority,
                     unnest(p_expires_at) AS expires_at,
                     unnest(p_deliver_at) AS deliver_at,
                     unnest(p_group_no) AS group_no,
                     unnest(p_body_id) AS body_id,
                     unnest(p_body_bytes) AS body_bytes,
                     unnest(p_body) AS body,
                     unnest(p_login_id) AS login_id) AS c;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        IF v_changed <> p_claims THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('slot: %s rows changed where %s must', v_changed, p_claims);
        END IF;
    END IF;

    IF cardinality(p_block) > 0 THEN
        INSERT INTO ringtable.settlement (segment, bit, block, settled)
        SELECT v_segments[1 + s.block * 1024 / v_size - v_ordinal], s.bit, s.block, s.settled
        FROM (SELECT unnest(p_block) AS block, unnest(p_bit) AS bit, unnest(p_settled) AS settled) AS s
        WHERE s.block >= v_gate / 1024 AND s.block * 1024 / v_size < v_ordinal + cardinality(v_segments)
        ON CONFLICT (segment, block, bit) DO UPDATE SET settled = excluded.settled;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        IF v_changed <> cardinality(p_block) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('settlement: %s rows changed where %s must: blocks %s, gate %s', v_changed,
                    cardinality(p_block), p_block, v_gate);
        END IF;
    END IF;

    IF cardinality(p_backlog_block) > 0 THEN
        INSERT INTO ringtable.backlog_settlement (shard_id, address_id, block, bit, settled)
        SELECT p_shard_id, s.address_id, s.block, s.bit, s.settled
        FROM unnest(p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled)
                 AS s (address_id, block, bit, settled)
        WHERE s.block < v_gate / 1024
        ON CONFLICT (shard_id, address_id, block, bit) DO UPDATE SET settled = excluded.settled;
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        IF v_changed <> cardinality(p_backlog_block) THEN
            RAISE EXCEPTION USING ERRCODE = 'RT016',
                MESSAGE = format('backlog_settlement: %s rows changed where %s must (gate %s)', v_changed,
                    cardinality(p_backlog_block), v_gate);
        END IF;
    END IF;

    IF cardinality(p_redelivery_sequence) > 0 THEN
        DELETE FROM ringtable.redelivery AS r
        USING unnest(p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count)
                  AS f (sequence, subscription_id, count)
        WHERE r.shard_id = p_shard_id
          AND r.sequence = f.sequence
          AND r.subscription_id = f.subscription_id
          AND f.count = 0;
        INSERT INTO ringtable.redelivery (shard_id, sequence, subscription_id, count, not_before)
        SELECT p_shard_id, f.sequence, f.subscription_id, f.count, f.not_before
        FROM unnest(p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before)
                 AS f (sequence, subscription_id, count, not_before)
        WHERE f.count > 0
        ON CONFLICT (shard_id, sequence, subscription_id)
            DO UPDATE SET count = excluded.count, not_before = excluded.not_before;
    END IF;

    IF cardinality(p_dispatched_subscription_id) > 0 THEN
        -- A subscription that has gone meanwhile is passed over: nobody asks for its bound any more.
        UPDATE ringtable.subscription AS s
        SET dispatched_to = nullif(d.dispatched_to, -1)
        FROM unnest(p_dispatched_subscription_id, p_dispatched_to) AS d (subscription_id, dispatched_to)
        WHERE s.shard_id = p_shard_id AND s.subscription_id = d.subscription_id;
    END IF;

    IF p_dispatch_bound >= 0 THEN
        UPDATE ringtable.shard SET dispatch_bound = p_dispatch_bound WHERE shard_id = p_shard_id;
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush IS
    'Makes one batch of claims and settlements durable; called once per batch, commit included';
