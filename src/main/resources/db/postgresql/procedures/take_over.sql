-- take_over: lays messages from the inbox of another database into this one, each once, and notes their ids there.
-- Called by:   statements/take_over.sql, commit included.
-- Locks:       FOR KEY SHARE on the owner row: flushes go on, a new owner waits; the row of the crossing.
-- Access path: shard_pk; crossing_pk; inbox_pk, at its end.
-- Changes:     one row per message and one of crossing, or nothing: 40001 if the crossing has another number by now.
--
-- A call whose answer was lost may still be under way. The next open_crossing raises the number, and that call then
-- changes nothing. A former owner takes nothing over.
DROP FUNCTION IF EXISTS ringtable.take_over;

CREATE FUNCTION ringtable.take_over(
    p_shard_id integer,
    p_epoch bigint,
    p_origin integer,
    p_number bigint,
    p_inbox_ids bigint[],
    p_address text[],
    p_kind text[],
    p_content text[],
    p_body bytea[],
    p_properties text[],
    p_age_ms bigint[],
    p_published_by text[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch INTO v_epoch FROM ringtable.shard WHERE shard_id = p_shard_id FOR KEY SHARE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    UPDATE ringtable.crossing AS c
    SET number = p_number, inbox_ids = p_inbox_ids
    WHERE c.shard_id = p_shard_id AND c.origin = p_origin AND c.number = p_number - 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '40001',
            MESSAGE = format('the crossing from %s to shard %s does not stand at number %s', p_origin, p_shard_id,
                p_number - 1);
    END IF;
    -- In the order of the list: ids rise with it, so the messages of one caller keep their order.
    INSERT INTO ringtable.inbox (shard_id, address, kind, content, body, properties, laid_down_at, published_by)
    SELECT p_shard_id, m.address, m.kind, m.content, m.body, m.properties::jsonb,
           clock_timestamp() - m.age_ms * interval '1 millisecond', m.published_by
    FROM unnest(p_address, p_kind, p_content, p_body, p_properties, p_age_ms, p_published_by) WITH ORDINALITY
        AS m (address, kind, content, body, properties, age_ms, published_by, position)
    ORDER BY m.position;
END
$$;

COMMENT ON FUNCTION ringtable.take_over IS
    'Lays messages from the inbox of another database into this one, each once, and notes their ids there';
