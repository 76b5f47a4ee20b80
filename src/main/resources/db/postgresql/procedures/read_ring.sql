-- read_ring: messages of the ring by sequence, in order; pending holds what the ledger says is still owed.
-- Called by:   statements/read_ring.sql.
-- Locks:       ACCESS SHARE on the segments of the messages.
-- Access path: slot_<segment>_brin; settlement_pk.
-- Changes:     nothing; leaves out messages that the gate has passed.
DROP FUNCTION IF EXISTS ringtable.read_ring;

CREATE FUNCTION ringtable.read_ring(p_shard_id integer, p_sequences bigint[])
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
    login_id integer)
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan -- so that only the segments in question are locked and read
SET enable_seqscan = off -- nobody analyses a segment: its size says nothing about how few pages are wanted
AS $$
#variable_conflict use_column
DECLARE
    v_part record;
BEGIN
    FOR v_part IN
        SELECT g.segment, h.gate, min(q.sequence) AS first, max(q.sequence) AS last,
               array_agg(q.sequence) AS sequences
        FROM unnest(p_sequences) AS q (sequence)
        JOIN ringtable.shard AS h ON h.shard_id = p_shard_id
        JOIN ringtable.segment AS g ON g.shard_id = p_shard_id AND g.ordinal = q.sequence / (h.capacity / 8)
        WHERE q.sequence >= h.gate
        GROUP BY g.segment, h.gate
        ORDER BY first
    LOOP
        RETURN QUERY
        SELECT s.sequence, s.address_id, ringtable.ms(s.published_at), s.priority::integer, ringtable.ms(s.expires_at),
               ringtable.ms(s.deliver_at), s.group_no::integer,
               s.pending & ~coalesce((SELECT bit_or(1::bigint << l.bit)
                                      FROM ringtable.settlement AS l
                                      WHERE l.segment = v_part.segment
                                        AND l.block = s.sequence / 1024
                                        AND get_bit(l.settled, s.sequence % 1024) = 1), 0),
               coalesce(s.body_id, 0), coalesce(s.body_bytes, octet_length(s.body)), s.body,
               coalesce(s.login_id, 0)
        FROM ringtable.slot AS s
        WHERE s.segment = v_part.segment
          AND s.sequence BETWEEN v_part.first AND v_part.last
          AND s.sequence + 0 = ANY (v_part.sequences) -- + 0: a BRIN index would be searched once for each
        ORDER BY s.sequence;
    END LOOP;
END
$$;

COMMENT ON FUNCTION ringtable.read_ring IS 'Messages of the ring by sequence, with what is still owed';
