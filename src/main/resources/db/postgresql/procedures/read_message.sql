-- read_message: one message wherever it lies, with the bits that its row names and those that still owe it.
-- Called by:   statements/read_message.sql.
-- Locks:       ACCESS SHARE on the segment of the message.
-- Access path: slot_<segment>_brin and settlement_pk; backlog_summary_pk, backlog_pk and backlog_settlement_pk.
-- Changes:     nothing; answers no row if the message is over and its row is gone.
DROP FUNCTION IF EXISTS ringtable.read_message;

CREATE FUNCTION ringtable.read_message(p_shard_id integer, p_sequence bigint)
RETURNS TABLE (
    sequence bigint,
    address_id bigint,
    published_at bigint,
    priority integer,
    expires_at bigint,
    deliver_at bigint,
    group_no integer,
    pending bigint,
    body_id bigint,
    body_bytes integer,
    body bytea,
    login_id integer,
    in_ring boolean,
    owed bigint)
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan -- so that only the segment in question is locked and read
SET enable_seqscan = off -- nobody analyses a segment: its size says nothing about how few pages are wanted
AS $$
#variable_conflict use_column
DECLARE
    v_segment smallint;
BEGIN
    SELECT g.segment INTO v_segment
    FROM ringtable.shard AS h
    JOIN ringtable.segment AS g ON g.shard_id = h.shard_id AND g.ordinal = p_sequence / (h.capacity / 8)
    WHERE h.shard_id = p_shard_id AND p_sequence >= h.gate;
    IF FOUND THEN
        RETURN QUERY
        SELECT s.sequence, s.address_id, ringtable.ms(s.published_at), s.priority::integer, ringtable.ms(s.expires_at),
               ringtable.ms(s.deliver_at), s.group_no::integer, s.pending, coalesce(s.body_id, 0),
               coalesce(s.body_bytes, octet_length(s.body)), s.body, coalesce(s.login_id, 0), true,
               s.pending & ~coalesce((SELECT bit_or(1::bigint << l.bit)
                                      FROM ringtable.settlement AS l
                                      WHERE l.segment = v_segment
                                        AND l.block = p_sequence / 1024
                                        AND get_bit(l.settled, p_sequence % 1024) = 1), 0)
        FROM ringtable.slot AS s
        WHERE s.segment = v_segment AND s.sequence = p_sequence;
        RETURN;
    END IF;
    -- The key of the backlog begins with the address, and few addresses have a backlog that spans the sequence.
    RETURN QUERY
    SELECT b.sequence, b.address_id, ringtable.ms(b.published_at), b.priority::integer, ringtable.ms(b.expires_at),
           ringtable.ms(b.deliver_at), b.group_no::integer, b.pending, coalesce(b.body_id, 0), b.body_bytes, b.body,
           coalesce(b.login_id, 0), false,
           b.pending & ~coalesce((SELECT bit_or(1::bigint << l.bit)
                                  FROM ringtable.backlog_settlement AS l
                                  WHERE l.shard_id = p_shard_id
                                    AND l.address_id = b.address_id
                                    AND l.block = p_sequence / 1024
                                    AND get_bit(l.settled, p_sequence % 1024) = 1), 0)
    FROM ringtable.backlog_summary AS y
    JOIN ringtable.backlog AS b
        ON b.shard_id = y.shard_id AND b.address_id = y.address_id AND b.sequence = p_sequence
    WHERE y.shard_id = p_shard_id AND p_sequence BETWEEN y.first_sequence AND y.last_sequence;
END
$$;

COMMENT ON FUNCTION ringtable.read_message IS 'One message wherever it lies, and who owes it';
