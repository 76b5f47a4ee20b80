-- lay_in_inbox: lays a message into the inbox of the transaction of the caller, or refuses it with what is wrong.
-- Called by:   publish, in both forms; applications call that.
-- Locks:       none beyond the new row.
-- Access path: placement_pk; inbox_pk, at its end.
-- Changes:     exactly one row; refuses with SQLSTATE 22023 (RT-3050 to RT-3053, RT-4660) before anything is written.
DROP FUNCTION IF EXISTS ringtable.lay_in_inbox;

CREATE FUNCTION ringtable.lay_in_inbox(p_address text, p_content text, p_body bytea, p_properties jsonb) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kind       text;
    v_name       text := p_address;
    v_properties jsonb := coalesce(p_properties, '{}');
    v_key        text;
    v_type       text;
    v_value      text;
    v_wanted     text;
BEGIN
    IF p_address LIKE 'queue://%' OR p_address LIKE 'topic://%' THEN
        v_kind := left(p_address, 5);
        v_name := substr(p_address, 9);
    END IF;
    IF v_name IS NULL OR v_name = '' OR char_length(v_name) > 400
       OR v_name ~ '[\u0001-\u001f\u007f-\u009f]' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3050 an address has 1 to 400 characters, none of them a control character, after'
                ' queue:// or topic://; this one is %s', coalesce(quote_literal(left(v_name, 400)), 'NULL'));
    END IF;
    IF p_body IS NULL OR octet_length(p_body) > 16777216 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3051 the body of a message for ''%s'' has %s: give one of at most 16777216 bytes',
                v_name, coalesce(octet_length(p_body) || ' bytes', 'not been given (NULL)'));
    END IF;
    IF v_properties <> '{}' THEN
        IF jsonb_typeof(v_properties) <> 'object' OR octet_length(v_properties::text) > 65536 THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-3052 properties are an object of at most 65536 bytes: this is %s of %s bytes',
                    jsonb_typeof(v_properties), octet_length(v_properties::text));
        END IF;
        FOR v_key, v_type, v_value IN
            SELECT e.key, jsonb_typeof(e.value), e.value #>> '{}'
            FROM jsonb_each(v_properties) AS e
        LOOP
            v_wanted := CASE
                WHEN v_key = 'durable' AND v_value IS DISTINCT FROM 'true' THEN
                    'true, as it is for everything that is published here'
                WHEN v_key = 'priority' AND (v_type <> 'number' OR v_value !~ '^[0-9]$') THEN
                    'a whole number from 0 to 9'
                WHEN v_key = 'ttl' AND (v_type <> 'number' OR v_value !~ '^[1-9][0-9]{0,9}$'
                                        OR v_value::numeric > 4294967295) THEN
                    'a time to live in ms, from 1 to 4294967295'
                WHEN v_key IN ('message-id', 'correlation-id', 'content-type', 'subject', 'reply-to', 'group-id')
                     AND v_type <> 'string' THEN
                    'a string'
                WHEN v_type IN ('object', 'array') THEN
                    'a string, a number, true, false or null'
                WHEN v_type = 'number' AND v_value !~ '\.' AND abs(v_value::numeric) > 9223372036854775807 THEN
                    'a whole number within 64 bits'
                WHEN v_type = 'number' AND abs(v_value::numeric) > 1.7e308 THEN
                    'a number that a double can hold'
            END;
            IF v_wanted IS NOT NULL THEN
                RAISE EXCEPTION USING ERRCODE = '22023',
                    MESSAGE = format('RT-3053 property ''%s'' is %s %s: it must be %s', v_key, v_type,
                        left(v_value, 100), v_wanted);
            END IF;
        END LOOP;
    END IF;
    IF current_setting('citus.version', true) IS NOT NULL THEN -- the server has loaded Citus
        PERFORM ringtable.commit_as_one();
    END IF;
    -- The lowest shard of the database passes on what lives in another one.
    INSERT INTO ringtable.inbox (shard_id, address, kind, content, body, properties, laid_down_at, published_by)
    VALUES (coalesce((SELECT min(p.shard_id) FROM ringtable.placement AS p WHERE p.here), 0), v_name, v_kind,
        p_content, p_body, v_properties, clock_timestamp(), session_user);
END
$$;

COMMENT ON FUNCTION ringtable.lay_in_inbox IS 'What the forms of publish have in common; applications call publish';
