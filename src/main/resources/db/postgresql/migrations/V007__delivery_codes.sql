-- The codes of delivery tags (ADR 15): settle takes the tag of a delivery that the broker has made, and none that somebody has made up.

CREATE TABLE ringtable.delivery_key (
    shard_id integer NOT NULL,
    secret   bytea   NOT NULL,
    CONSTRAINT delivery_key_pk PRIMARY KEY (shard_id),
    CONSTRAINT delivery_key_has_24_bytes CHECK (octet_length(secret) = 24)
);

COMMENT ON TABLE ringtable.delivery_key IS 'What the codes of delivery tags are made with; whoever can read it and may execute settle can settle anything';
COMMENT ON COLUMN ringtable.delivery_key.shard_id IS 'Whose deliveries';
COMMENT ON COLUMN ringtable.delivery_key.secret IS 'Random, laid down by the first owner of the shard, the same for all later ones';

-- Default privileges give a role rights on tables that are made later: not on this one.
DO $$
DECLARE
    v_grantee text;
BEGIN
    FOR v_grantee IN
        SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class AS c
        CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = 'ringtable.delivery_key'::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON ringtable.delivery_key FROM %s', v_grantee);
    END LOOP;
END
$$;

-- Answers the shard's secret; lays down the proposed one if there is none.
CREATE FUNCTION ringtable.keep_delivery_key(p_shard_id integer, p_proposed bytea) RETURNS bytea
LANGUAGE plpgsql
AS $$
DECLARE
    v_secret bytea;
BEGIN
    INSERT INTO ringtable.delivery_key (shard_id, secret) VALUES (p_shard_id, p_proposed)
    ON CONFLICT (shard_id) DO NOTHING;
    SELECT k.secret INTO STRICT v_secret FROM ringtable.delivery_key AS k WHERE k.shard_id = p_shard_id;
    RETURN v_secret;
END
$$;

COMMENT ON FUNCTION ringtable.keep_delivery_key IS 'Answers the secret of the codes in delivery tags; lays one down if there is none';

-- What up to ten digits of base64url stand for, the highest first: six bits each.
CREATE FUNCTION ringtable.tag_number(p_digits text) RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT ('x' || encode(substr(decode(lpad(translate(p_digits, '-_', '+/'), 12, 'A'), 'base64'), 2), 'hex'))::bit(64)::bigint
$$;

COMMENT ON FUNCTION ringtable.tag_number IS 'Reads a number of a delivery tag';

-- 60 bits that only a broker of this ring can have made: the broker's DeliveryCodes does the same. NULL if it has no key yet.
CREATE FUNCTION ringtable.delivery_code(p_epoch bigint, p_subscription_id bigint, p_sequence bigint) RETURNS bigint
LANGUAGE sql
STABLE
AS $$
    SELECT ('x' || encode(substr(sha256(k.secret || int8send(p_epoch) || int8send(p_subscription_id) || int8send(p_sequence)),
                                 1, 8), 'hex'))::bit(64)::bigint & 1152921504606846975
    FROM ringtable.delivery_key AS k
    WHERE k.shard_id = 0
$$;

COMMENT ON FUNCTION ringtable.delivery_code IS 'Makes the code of a delivery tag; for settle, and for nobody without the right to read the secret';

-- For applications: the message of this delivery is settled if, and only if, the caller's transaction commits. Raises
-- RT060 if it was settled before, so that what it stands for is not done twice; 22023 if it cannot be settled so.
CREATE OR REPLACE FUNCTION ringtable.settle(p_delivery text) RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
AS $$
DECLARE
    v_part       text[] := regexp_match(p_delivery,
        '^([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{10})$');
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
                ' message as the broker sent it, epoch.subscription.sequence.code',
                coalesce(quote_literal(left(p_delivery, 100)), 'NULL'));
    END IF;
    -- A snapshot that is older than the row below would not show that the message has been settled since.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3062 settling needs READ COMMITTED, and this transaction is %s: begin it with that level',
                upper(current_setting('transaction_isolation')));
    END IF;
    v_delivered := ringtable.tag_number(v_part[1]);
    v_subscriber := ringtable.tag_number(v_part[2]);
    v_sequence := ringtable.tag_number(v_part[3]);
    -- Before anything is written: a row of one that was made up would keep out those who hold the delivery.
    IF ringtable.tag_number(v_part[4]) IS DISTINCT FROM ringtable.delivery_code(v_delivered, v_subscriber, v_sequence) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3350 delivery %s (epoch %s, subscription %s, sequence %s) was made by no broker of this ring:'
                ' give the delivery tag as the broker sent it', p_delivery, v_delivered, v_subscriber, v_sequence);
    END IF;

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
