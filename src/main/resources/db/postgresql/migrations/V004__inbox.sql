-- The inbox: what applications publish and settle inside their own transactions. The broker takes what is committed over into
-- the ring and its ledger, and deletes exactly those rows in the flush that does so.

CREATE TABLE ringtable.inbox (
    shard_id        integer     NOT NULL,
    inbox_id        bigint      GENERATED ALWAYS AS IDENTITY (CACHE 1),
    content         text        NOT NULL,
    address         text        COLLATE "C",
    kind            text,
    body            bytea,
    properties      jsonb,
    subscription_id bigint,
    sequence        bigint,
    laid_down_at    timestamptz NOT NULL,
    CONSTRAINT inbox_pk PRIMARY KEY (shard_id, inbox_id),
    CONSTRAINT inbox_content_is_text_bytes_or_settlement CHECK (content IN ('text', 'bytes', 'settlement')),
    CONSTRAINT inbox_message_is_whole
        CHECK (content = 'settlement' OR (address IS NOT NULL AND body IS NOT NULL AND properties IS NOT NULL)),
    CONSTRAINT inbox_settlement_is_whole
        CHECK (content <> 'settlement' OR (subscription_id IS NOT NULL AND sequence IS NOT NULL)),
    CONSTRAINT inbox_kind_is_queue_or_topic CHECK (kind IN ('queue', 'topic')),
    CONSTRAINT inbox_body_is_at_most_16_mib CHECK (octet_length(body) <= 16777216)
-- Nearly empty and always written: cleared up often, and never cut short, which would lock callers out for a moment.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000, toast.vacuum_truncate = false);

ALTER TABLE ringtable.inbox ALTER COLUMN body SET STORAGE EXTERNAL;

-- Who settles what somebody else is settling waits for the end of that one's transaction. Messages are not in it.
CREATE UNIQUE INDEX inbox_settles_once ON ringtable.inbox (shard_id, subscription_id, sequence)
    WHERE content = 'settlement';

COMMENT ON TABLE ringtable.inbox IS 'What applications published and settled inside their own transactions, until a flush takes it over';
COMMENT ON COLUMN ringtable.inbox.shard_id IS 'The ring that will hold the message, or holds the one that is settled';
COMMENT ON COLUMN ringtable.inbox.inbox_id IS 'Rises with every call, so that one caller''s messages keep their order; gaps are roll-backs. A lower one may become visible later';
COMMENT ON COLUMN ringtable.inbox.content IS 'text: a message, body is UTF-8; bytes: a message, body is anything; settlement: no message';
COMMENT ON COLUMN ringtable.inbox.address IS 'Where the message goes, without prefix; created when it is collected';
COMMENT ON COLUMN ringtable.inbox.kind IS 'queue or topic, as the caller wrote it; NULL = the caller did not say';
COMMENT ON COLUMN ringtable.inbox.body IS 'What the caller published';
COMMENT ON COLUMN ringtable.inbox.properties IS 'A flat object: application properties, and the reserved keys that publish knows';
COMMENT ON COLUMN ringtable.inbox.subscription_id IS 'Who settles; NULL for a message';
COMMENT ON COLUMN ringtable.inbox.sequence IS 'What is settled; NULL for a message';
COMMENT ON COLUMN ringtable.inbox.laid_down_at IS 'When publish or settle was called';

-- Lays a message into the inbox of the caller's transaction, or refuses it with what is wrong (SQLSTATE 22023).
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
            MESSAGE = format('RT-3050 an address has 1 to 400 characters, none of them a control character, after queue:// or'
                ' topic://; this one is %s', coalesce(quote_literal(left(v_name, 400)), 'NULL'));
    END IF;
    IF p_body IS NULL OR octet_length(p_body) > 16777216 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3051 the body of a message for ''%s'' has %s: give one of at most 16777216 bytes', v_name,
                coalesce(octet_length(p_body) || ' bytes', 'not been given (NULL)'));
    END IF;
    IF v_properties <> '{}' THEN
        IF jsonb_typeof(v_properties) <> 'object' OR octet_length(v_properties::text) > 65536 THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-3052 properties are an object of at most 65536 bytes: this is %s of %s bytes',
                    jsonb_typeof(v_properties), octet_length(v_properties::text));
        END IF;
        FOR v_key, v_type, v_value IN SELECT e.key, jsonb_typeof(e.value), e.value #>> '{}' FROM jsonb_each(v_properties) AS e
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
                    MESSAGE = format('RT-3053 property ''%s'' is %s %s: it must be %s', v_key, v_type, left(v_value, 100),
                        v_wanted);
            END IF;
        END LOOP;
    END IF;
    INSERT INTO ringtable.inbox (shard_id, address, kind, content, body, properties, laid_down_at)
    VALUES (0, v_name, v_kind, p_content, p_body, v_properties, clock_timestamp());
END
$$;

COMMENT ON FUNCTION ringtable.lay_in_inbox IS 'What the forms of publish have in common; applications call publish';

-- For applications, who need EXECUTE on these two and no right on any table. The message is there for its subscribers once
-- the caller's transaction has committed, and never was if it rolls back.
CREATE FUNCTION ringtable.publish(p_address text, p_body text, p_properties jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ringtable.lay_in_inbox(p_address, 'text', convert_to(p_body, 'UTF8'), p_properties);
END
$$;

COMMENT ON FUNCTION ringtable.publish(text, text, jsonb) IS 'Publishes a text inside the caller''s transaction';

CREATE FUNCTION ringtable.publish(p_address text, p_body bytea, p_properties jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ringtable.lay_in_inbox(p_address, 'bytes', p_body, p_properties);
END
$$;

COMMENT ON FUNCTION ringtable.publish(text, bytea, jsonb) IS 'Publishes bytes inside the caller''s transaction';

REVOKE ALL ON FUNCTION ringtable.publish(text, text, jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION ringtable.publish(text, bytea, jsonb) FROM PUBLIC;

-- For applications: the message of this delivery is settled if, and only if, the caller's transaction commits. Raises
-- RT060 if it was settled before, so that what it stands for is not done twice; 22023 if it cannot be settled so.
CREATE FUNCTION ringtable.settle(p_delivery text) RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
AS $$
DECLARE
    v_part       text[] := regexp_match(p_delivery, '^([0-9]{1,18})\.([0-9]{1,18})\.([0-9]{1,18})$');
    v_delivered  bigint;
    v_subscriber bigint;
    v_sequence   bigint;
    v_epoch      bigint;
    v_gate       bigint;
    v_address_id bigint;
    v_group_no   smallint;
    v_bit        smallint;
    v_segment    smallint;
    v_is_settled boolean;
BEGIN
    IF v_part IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3061 %s is no delivery of a queue or a durable subscription: give the delivery tag of the'
                ' message as the broker sent it, epoch.subscription.sequence',
                coalesce(quote_literal(left(p_delivery, 100)), 'NULL'));
    END IF;
    -- A snapshot that is older than the row below would not show that the message has been settled since.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3062 settling needs READ COMMITTED, and this transaction is %s: begin it with that level',
                upper(current_setting('transaction_isolation')));
    END IF;
    v_delivered := v_part[1]::bigint;
    v_subscriber := v_part[2]::bigint;
    v_sequence := v_part[3]::bigint;

    -- Waits for others who settle the same, and for the flush that takes over what one of them has committed.
    INSERT INTO ringtable.inbox (shard_id, content, subscription_id, sequence, laid_down_at)
    VALUES (0, 'settlement', v_subscriber, v_sequence, clock_timestamp())
    ON CONFLICT (shard_id, subscription_id, sequence) WHERE content = 'settlement' DO NOTHING;
    v_is_settled := NOT FOUND;

    -- Later statements, so later snapshots: they see the ledger that such a flush has left.
    WHILE NOT v_is_settled LOOP
        SELECT h.epoch, h.gate, u.address_id, u.group_no, u.bit, g.segment
        INTO v_epoch, v_gate, v_address_id, v_group_no, v_bit, v_segment
        FROM ringtable.shard AS h
        LEFT JOIN ringtable.subscription AS u ON u.shard_id = h.shard_id AND u.subscription_id = v_subscriber
        LEFT JOIN ringtable.segment AS g ON g.shard_id = h.shard_id AND g.ordinal = v_sequence / (h.capacity / 8)
        WHERE h.shard_id = 0;
        -- The number may be another message's in a database that was restored, and whoever held the message comes
        -- again under the new epoch.
        IF v_epoch IS DISTINCT FROM v_delivered THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-3063 delivery %s was made under epoch %s, and the shard is at %s: roll back, the'
                    ' message comes again', p_delivery, v_delivered, v_epoch);
        END IF;
        IF v_bit IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-3064 subscription %s of delivery %s was deleted: nothing is owed', v_subscriber,
                    p_delivery);
        END IF;
        IF v_sequence < v_gate THEN
            v_is_settled := NOT EXISTS (
                SELECT
                FROM ringtable.backlog AS b
                WHERE b.shard_id = 0
                  AND b.address_id = v_address_id
                  AND b.sequence = v_sequence
                  AND b.group_no = v_group_no
                  AND b.pending >> v_bit & 1 = 1
                  AND NOT EXISTS (
                      SELECT
                      FROM ringtable.backlog_settlement AS l
                      WHERE l.shard_id = 0
                        AND l.address_id = v_address_id
                        AND l.block = v_sequence / 1024
                        AND l.bit = v_bit
                        AND get_bit(l.settled, v_sequence % 1024) = 1));
            EXIT;
        END IF;
        -- Named, so that this transaction keeps one segment from being emptied, not all; and with the gate, since the
        -- segment may have been emptied before it was locked.
        EXECUTE format(
            'SELECT h.gate,'
            '       EXISTS (SELECT FROM ringtable.settlement_%s AS l'
            '               WHERE l.segment = $2 AND l.block = $1 / 1024 AND l.bit = $3'
            '                 AND get_bit(l.settled, $1 %% 1024) = 1)'
            ' FROM ringtable.shard AS h'
            ' WHERE h.shard_id = 0', v_segment)
        INTO v_gate, v_is_settled
        USING v_sequence, v_segment, v_bit;
        EXIT WHEN v_sequence >= v_gate;
        v_is_settled := false;
    END LOOP;
    IF v_is_settled THEN
        RAISE EXCEPTION USING ERRCODE = 'RT060',
            MESSAGE = format('RT-3060 delivery %s was settled already: roll back, what it stands for has been done',
                p_delivery);
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.settle IS 'Settles a delivery inside the caller''s transaction';

REVOKE ALL ON FUNCTION ringtable.settle(text) FROM PUBLIC;

-- Where the message of a settlement lies: 'ring', 'backlog', or NULL if nobody asks any more: it or the subscription is gone.
CREATE FUNCTION ringtable.settled_message(
    p_shard_id integer,
    p_subscription_id bigint,
    p_sequence bigint,
    OUT address_id bigint,
    OUT place text,
    OUT pending bigint,
    OUT body_bytes integer,
    OUT body_id bigint)
LANGUAGE sql
STABLE
AS $$
    SELECT u.address_id,
           CASE WHEN p_sequence >= h.gate THEN 'ring' WHEN b.sequence IS NOT NULL THEN 'backlog' END,
           coalesce(b.pending, 0), coalesce(b.body_bytes, 0), coalesce(b.body_id, 0)
    FROM ringtable.shard AS h
    JOIN ringtable.subscription AS u ON u.shard_id = h.shard_id AND u.subscription_id = p_subscription_id
    LEFT JOIN ringtable.backlog AS b
        ON b.shard_id = h.shard_id AND b.address_id = u.address_id AND b.sequence = p_sequence
           AND b.group_no = u.group_no
    WHERE h.shard_id = p_shard_id
$$;

COMMENT ON FUNCTION ringtable.settled_message IS 'Where the message of a settlement in the inbox lies';

-- What is committed in the inbox, lowest ids first, as one snapshot has it, until so many rows or bytes are reached. Of a
-- settlement also where its message lies and what the backlog knows of it.
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
    FOR inbox_id, address, kind, content, body, properties, age_ms, subscription_id, sequence IN
        SELECT i.inbox_id, i.address, i.kind, i.content, i.body, i.properties::text,
               greatest(0, date_part('epoch', clock_timestamp() - i.laid_down_at) * 1000)::bigint,
               i.subscription_id, i.sequence
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

-- Deletes the rows that the flush has taken over. Answers how many there were.
CREATE FUNCTION ringtable.delete_from_inbox(p_shard_id integer, p_inbox_ids bigint[]) RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
DECLARE
    v_deleted bigint;
BEGIN
    DELETE FROM ringtable.inbox AS i WHERE i.shard_id = p_shard_id AND i.inbox_id = ANY (p_inbox_ids);
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    RETURN v_deleted;
END
$$;

COMMENT ON FUNCTION ringtable.delete_from_inbox IS 'Deletes the rows of the inbox that a flush has taken over';

-- A batch that has something of the inbox in it: makes it durable and deletes its rows, or neither. Apart from flush, which
-- stays what it was for everybody else.
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
        p_block, p_bit, p_settled, p_backlog_address_id, p_backlog_block, p_backlog_bit, p_backlog_settled,
        p_redelivery_sequence, p_redelivery_subscription_id, p_redelivery_count, p_redelivery_not_before,
        p_dispatched_subscription_id, p_dispatched_to);
    v_deleted := ringtable.delete_from_inbox(p_shard_id, p_inbox_ids);
    -- Where nobody owes any of them no number tells whether an earlier try has committed, and it does no harm to find them gone.
    IF v_deleted <> cardinality(p_inbox_ids) AND p_claims > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('inbox: %s rows deleted where %s must', v_deleted, cardinality(p_inbox_ids));
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.flush_inbox IS 'Makes one batch durable that has something of the inbox in it, and deletes its rows';
