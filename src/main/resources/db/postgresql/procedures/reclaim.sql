-- reclaim: moves what live subscriptions still owe in [p_gate, p_new_gate) to the backlog and raises the gate.
-- Called by:   statements/reclaim.sql, commit included.
-- Locks:       the owner row until commit; ACCESS SHARE on the segments of the stretch.
-- Access path: the slots and settlements of the stretch; subscription_bit_is_held_once; backlog_summary_pk.
-- Changes:     one row of backlog per owed message, else RT016 and nothing. Answers the summaries that grew.
DROP FUNCTION IF EXISTS ringtable.reclaim;

CREATE FUNCTION ringtable.reclaim(
    p_shard_id integer,
    p_epoch bigint,
    p_gate bigint,
    p_new_gate bigint,
    p_owed_expected bigint)
RETURNS TABLE (
    address_id bigint,
    first_sequence bigint,
    last_sequence bigint,
    messages bigint,
    bytes bigint,
    first_expires_at bigint,
    first_deliver_at bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan -- so that only the segments of the stretch are locked and read
SET enable_nestloop = off -- nobody analyses a segment: it is always taken for small, and joined row by row
AS $$
#variable_conflict use_column
DECLARE
    v_gate       bigint;
    v_capacity   bigint;
    v_size       bigint;
    v_segments   smallint[];
    v_rows       bigint;
    v_references bigint;
    v_settled    bigint;
    v_moved      bigint := 0;
    v_grown      record;
BEGIN
    SELECT o_gate, o_capacity, o_capacity / 8
    INTO v_gate, v_capacity, v_size
    FROM ringtable.check_owner(p_shard_id, p_epoch);
    IF v_gate <> p_gate OR p_new_gate <= p_gate OR p_new_gate % 1024 <> 0 OR p_new_gate > p_gate + v_size THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('gate %s of shard %s cannot be raised from %s to %s: whole blocks, at most %s sequences',
                v_gate, p_shard_id, p_gate, p_new_gate, v_size);
    END IF;
    SELECT array_agg(segment)
    INTO v_segments
    FROM ringtable.segment
    WHERE shard_id = p_shard_id AND ordinal BETWEEN p_gate / v_size AND (p_new_gate - 1) / v_size;

    SELECT count(*), coalesce(sum(s.reference_count), 0)
    INTO v_rows, v_references
    FROM ringtable.slot AS s
    WHERE s.segment = ANY (v_segments) AND s.sequence >= p_gate AND s.sequence < p_new_gate;
    IF v_rows <> p_new_gate - p_gate THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('the ring of shard %s holds %s messages from %s to %s where it must hold %s', p_shard_id,
                v_rows, p_gate, p_new_gate - 1, p_new_gate - p_gate);
    END IF;
    SELECT coalesce(sum(bit_count(l.settled)), 0)
    INTO v_settled
    FROM ringtable.settlement AS l
    WHERE l.segment = ANY (v_segments) AND l.block >= p_gate / 1024 AND l.block < p_new_gate / 1024;

    -- As many settlements as references: nothing is owed, which is the rule. Else message by message.
    IF v_references <> v_settled OR p_owed_expected > 0 THEN
        FOR v_grown IN
            WITH owed AS (
                SELECT s.sequence, bit_or(1::bigint << u.bit) AS pending
                FROM ringtable.slot AS s
                JOIN ringtable.subscription AS u
                    ON u.shard_id = p_shard_id AND u.address_id = s.address_id AND u.group_no = s.group_no
                       AND u.from_sequence <= s.sequence AND s.pending >> u.bit & 1 = 1
                LEFT JOIN ringtable.settlement AS l
                    ON l.segment = ANY (v_segments) AND l.block = s.sequence / 1024 AND l.bit = u.bit
                WHERE s.segment = ANY (v_segments)
                  AND s.sequence >= p_gate
                  AND s.sequence < p_new_gate
                  AND (l.settled IS NULL OR get_bit(l.settled, s.sequence % 1024) = 0)
                GROUP BY s.sequence),
            moved AS (
                INSERT INTO ringtable.backlog AS b (shard_id, address_id, sequence, published_at, priority, expires_at,
                        deliver_at, group_no, reference_count, pending, body_id, body_bytes, body, login_id)
                SELECT p_shard_id, s.address_id, s.sequence, s.published_at, s.priority, s.expires_at, s.deliver_at,
                       s.group_no, bit_count(o.pending::bit(64)), o.pending, s.body_id,
                       coalesce(s.body_bytes, octet_length(s.body)), s.body, s.login_id
                FROM owed AS o
                JOIN ringtable.slot AS s ON s.sequence = o.sequence
                WHERE s.segment = ANY (v_segments) AND s.sequence >= p_gate AND s.sequence < p_new_gate
                RETURNING b.address_id, b.sequence, b.body_bytes, b.expires_at, b.deliver_at),
            gained AS (
                SELECT m.address_id, min(m.sequence) AS first_sequence, max(m.sequence) AS last_sequence,
                       count(*) AS messages, sum(m.body_bytes) AS bytes, min(m.expires_at) AS first_expires_at,
                       min(m.deliver_at) AS first_deliver_at
                FROM moved AS m
                GROUP BY m.address_id),
            grown AS (
                INSERT INTO ringtable.backlog_summary AS b (shard_id, address_id, first_sequence, last_sequence,
                        messages, bytes, first_expires_at, first_deliver_at)
                SELECT p_shard_id, g.address_id, g.first_sequence, g.last_sequence, g.messages, g.bytes,
                       g.first_expires_at, g.first_deliver_at
                FROM gained AS g
                ON CONFLICT (shard_id, address_id) DO UPDATE
                    SET last_sequence = excluded.last_sequence,
                        messages = b.messages + excluded.messages,
                        bytes = b.bytes + excluded.bytes,
                        first_expires_at = least(b.first_expires_at, excluded.first_expires_at),
                        first_deliver_at = least(b.first_deliver_at, excluded.first_deliver_at)
                RETURNING b.*)
            SELECT w.address_id, w.first_sequence, w.last_sequence, w.messages, w.bytes,
                   ringtable.ms(w.first_expires_at) AS first_expires_at,
                   ringtable.ms(w.first_deliver_at) AS first_deliver_at, g.messages AS moved
            FROM grown AS w
            JOIN gained AS g ON g.address_id = w.address_id
        LOOP
            v_moved := v_moved + v_grown.moved;
            address_id := v_grown.address_id;
            first_sequence := v_grown.first_sequence;
            last_sequence := v_grown.last_sequence;
            messages := v_grown.messages;
            bytes := v_grown.bytes;
            first_expires_at := v_grown.first_expires_at;
            first_deliver_at := v_grown.first_deliver_at;
            RETURN NEXT;
        END LOOP;
    END IF;
    IF v_moved <> p_owed_expected THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('the tables say that %s messages from %s to %s are still owed, the caller that %s are',
                v_moved, p_gate, p_new_gate - 1, p_owed_expected);
    END IF;
    UPDATE ringtable.shard SET gate = p_new_gate WHERE shard_id = p_shard_id;
END
$$;

COMMENT ON FUNCTION ringtable.reclaim IS
    'Moves what is still owed in a stretch of the ring to the backlog and raises the gate';
