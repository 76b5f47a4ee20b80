-- read_inbox: what is committed in the inbox, lowest ids first, as one snapshot has it.
-- Called by:   statements/read_inbox.sql, every few milliseconds: the table is nearly empty.
-- Locks:       none.
-- Access path: inbox_pk, from its beginning; of a settlement as settled_message.
-- Changes:     nothing; answers until so many rows or bytes are reached.
--
-- Of a settlement it also answers where its message lies and what the backlog knows of it.
DROP FUNCTION IF EXISTS ringtable.read_inbox;

CREATE FUNCTION ringtable.read_inbox(
    p_shard_id integer,
    p_left_out text[],
    p_rows_max integer,
    p_bytes_max bigint)
RETURNS TABLE (
    inbox_id bigint,
    address text,
    kind text,
    content text,
    body bytea,
    properties text,
    age_ms bigint,
    published_by text,
    subscription_id bigint,
    sequence bigint,
    address_id bigint,
    place text,
    pending bigint,
    body_bytes integer,
    body_id bigint)
LANGUAGE plpgsql
STABLE -- the snapshot of the caller's statement, however many rows are fetched
SET plan_cache_mode = force_generic_plan -- asked hundreds of times a second
SET enable_seqscan = off -- whatever statistics say of a table that is now empty and now full
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    v_bytes bigint := 0;
BEGIN
    FOR inbox_id, address, kind, content, body, properties, age_ms, published_by, subscription_id,
        sequence IN
        SELECT i.inbox_id, i.address, i.kind, i.content, i.body, i.properties::text,
               greatest(0, date_part('epoch', clock_timestamp() - i.laid_down_at) * 1000)::bigint,
               i.published_by, i.subscription_id, i.sequence
        FROM ringtable.inbox AS i
        WHERE i.shard_id = p_shard_id AND (i.address IS NULL OR i.address <> ALL (p_left_out))
        ORDER BY i.inbox_id
        LIMIT p_rows_max
    LOOP
        IF content = 'settlement' THEN
            SELECT f.address_id, f.place, f.pending, f.body_bytes, f.body_id
            INTO address_id, place, pending, body_bytes, body_id
            FROM ringtable.settled_message(p_shard_id, subscription_id, sequence) AS f;
        ELSE
            v_bytes := v_bytes + octet_length(body);
            EXIT WHEN v_bytes > p_bytes_max AND v_bytes > octet_length(body);
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION ringtable.read_inbox IS 'What is committed in the inbox, lowest ids first, as one snapshot has it';
