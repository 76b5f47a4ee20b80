-- discard: deletes backlog rows of an address that nobody owes any more.
-- Called by:   statements/discard.sql, commit included, a stretch at a time.
-- Locks:       the owner row until commit; the deleted rows.
-- Access path: backlog_pk, a range; backlog_settlement_pk; subscription_bit_is_held_once.
-- Changes:     any number of rows, and the summary; answers it as it is now, no row if nothing is left.
DROP FUNCTION IF EXISTS ringtable.discard;

CREATE FUNCTION ringtable.discard(
    p_shard_id integer,
    p_epoch bigint,
    p_address_id bigint,
    p_from bigint,
    p_to bigint)
RETURNS TABLE (
    address_id bigint,
    first_sequence bigint,
    last_sequence bigint,
    messages bigint,
    bytes bigint,
    first_expires_at bigint,
    first_deliver_at bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
    v_deleted bigint;
    v_bytes   bigint;
    v_left    bigint;
BEGIN
    PERFORM ringtable.check_owner(p_shard_id, p_epoch);
    WITH gone AS (
        DELETE FROM ringtable.backlog AS b
        WHERE b.shard_id = p_shard_id
          AND b.address_id = p_address_id
          AND b.sequence >= p_from
          AND b.sequence < p_to
          AND NOT EXISTS (
              SELECT
              FROM ringtable.subscription AS u
              LEFT JOIN ringtable.backlog_settlement AS l
                  ON l.shard_id = p_shard_id AND l.address_id = p_address_id AND l.block = b.sequence / 1024
                     AND l.bit = u.bit
              WHERE u.shard_id = p_shard_id
                AND u.address_id = p_address_id
                AND u.group_no = b.group_no
                AND u.from_sequence <= b.sequence
                AND b.pending >> u.bit & 1 = 1
                AND (l.settled IS NULL OR get_bit(l.settled, b.sequence % 1024) = 0))
        RETURNING b.body_bytes)
    SELECT count(*), coalesce(sum(g.body_bytes), 0) INTO v_deleted, v_bytes FROM gone AS g;

    DELETE FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = p_shard_id
      AND l.address_id = p_address_id
      AND l.block BETWEEN p_from / 1024 AND (p_to - 1) / 1024
      AND NOT EXISTS (
          SELECT
          FROM ringtable.backlog AS b
          WHERE b.shard_id = p_shard_id
            AND b.address_id = p_address_id
            AND b.sequence >= l.block * 1024
            AND b.sequence < l.block * 1024 + 1024);

    SELECT s.messages - v_deleted
    INTO v_left
    FROM ringtable.backlog_summary AS s
    WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
    IF v_left < 0 OR (v_left IS NULL AND v_deleted > 0) THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('%s messages in the backlog of address %s are over, its summary has fewer', v_deleted,
                p_address_id);
    END IF;
    IF v_left = 0 THEN
        DELETE FROM ringtable.backlog_summary AS s WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
    ELSIF v_deleted > 0 THEN
        -- The old bounds spare a walk over what earlier calls deleted and vacuum has not yet removed.
        UPDATE ringtable.backlog_summary AS s
        SET messages = v_left,
            bytes = s.bytes - v_bytes,
            first_sequence = (SELECT min(b.sequence)
                              FROM ringtable.backlog AS b
                              WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                                AND b.sequence >= s.first_sequence),
            last_sequence = (SELECT max(b.sequence)
                             FROM ringtable.backlog AS b
                             WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                               AND b.sequence <= s.last_sequence),
            first_expires_at = (SELECT min(b.expires_at)
                                FROM ringtable.backlog AS b
                                WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                                  AND b.expires_at IS NOT NULL),
            first_deliver_at = (SELECT min(b.deliver_at)
                                FROM ringtable.backlog AS b
                                WHERE b.shard_id = p_shard_id AND b.address_id = p_address_id
                                  AND b.deliver_at IS NOT NULL)
        WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
    END IF;

    RETURN QUERY
    SELECT s.address_id, s.first_sequence, s.last_sequence, s.messages, s.bytes, ringtable.ms(s.first_expires_at),
           ringtable.ms(s.first_deliver_at)
    FROM ringtable.backlog_summary AS s
    WHERE s.shard_id = p_shard_id AND s.address_id = p_address_id;
END
$$;

COMMENT ON FUNCTION ringtable.discard IS 'Deletes backlog rows of an address that nobody owes any more';
