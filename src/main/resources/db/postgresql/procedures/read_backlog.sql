-- read_backlog: messages of an address in the backlog that a bit still owes, in order.
-- Called by:   statements/read_backlog.sql.
-- Locks:       none.
-- Access path: backlog_pk, a range; backlog_settlement_pk.
-- Changes:     nothing; answers until so many messages or bytes are reached.
DROP FUNCTION IF EXISTS ringtable.read_backlog;

CREATE FUNCTION ringtable.read_backlog(
    p_shard_id integer,
    p_address_id bigint,
    p_group_no integer,
    p_bit integer,
    p_after bigint,
    p_before bigint,
    p_messages_max integer,
    p_bytes_max bigint)
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
SET plan_cache_mode = force_custom_plan
-- In order along backlog_pk, also before the first statistics: a plan that sorts reads all that is left, at each call.
SET enable_sort = off
SET enable_bitmapscan = off
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
    v_bytes    bigint := 0;
BEGIN
    FOR sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id,
        body_bytes, body, login_id IN
        SELECT b.sequence, b.address_id, ringtable.ms(b.published_at), b.priority, ringtable.ms(b.expires_at),
               ringtable.ms(b.deliver_at), b.group_no,
               b.pending & ~coalesce((SELECT bit_or(1::bigint << l.bit)
                                      FROM ringtable.backlog_settlement AS l
                                      WHERE l.shard_id = p_shard_id
                                        AND l.address_id = p_address_id
                                        AND l.block = b.sequence / 1024
                                        AND get_bit(l.settled, b.sequence % 1024) = 1), 0),
               coalesce(b.body_id, 0), b.body_bytes, b.body, coalesce(b.login_id, 0)
        FROM ringtable.backlog AS b
        WHERE b.shard_id = p_shard_id
          AND b.address_id = p_address_id
          AND b.sequence > p_after
          AND b.sequence < p_before
          AND b.group_no = p_group_no
          AND b.pending >> p_bit & 1 = 1
          AND NOT EXISTS (
              SELECT
              FROM ringtable.backlog_settlement AS l
              WHERE l.shard_id = p_shard_id
                AND l.address_id = p_address_id
                AND l.block = b.sequence / 1024
                AND l.bit = p_bit
                AND get_bit(l.settled, b.sequence % 1024) = 1)
        ORDER BY b.sequence
        LIMIT p_messages_max
    LOOP
        RETURN NEXT;
        v_bytes := v_bytes + body_bytes;
        EXIT WHEN v_bytes >= p_bytes_max;
    END LOOP;
END
$$;

COMMENT ON FUNCTION ringtable.read_backlog IS 'Messages of an address in the backlog that a bit still owes';
