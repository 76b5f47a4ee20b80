-- settle: settles a delivery inside the transaction of the caller.
-- Called by:   applications, who need EXECUTE on it and no right on any table.
-- Locks:       the row of its settlement; waits for others who settle the same, and for the flush that takes it over.
-- Access path: delivery_key_pk; inbox_settles_once; shard_pk, subscription_pk; one segment, or backlog_pk.
-- Changes:     exactly one row; raises RT060 if the delivery was settled before, 22023 if it cannot be settled so.
--
-- A delivery is epoch.subscription.sequence.code. Of a shard other than 0 a colon stands in the place of the first dot,
-- and behind it the id of the subscription within its shard, times 1,024, plus the shard.
-- The message is settled if, and only if, the transaction commits. A delivery that was settled before is refused, so
-- that what it stands for is not done twice.
-- CREATE OR REPLACE keeps the rights that were granted on it. Its parameters never change.
CREATE OR REPLACE FUNCTION ringtable.settle(p_delivery text) RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
AS $$
DECLARE
    v_part       text[] := regexp_match(p_delivery,
        '^([A-Za-z0-9_-]{1,10})([.:])([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{1,10})\.([A-Za-z0-9_-]{10})$');
    v_delivered  bigint;
    v_subscriber bigint;
    v_shard_id   integer; -- the id of a subscription tells it
    v_sequence   bigint;
    v_epoch      bigint;
    v_gate       bigint;
    v_address_id bigint;
    v_group_no   smallint;
    v_bit        smallint;
    v_segment    smallint;
    v_is_settled boolean;
    v_place      text; -- of a shard in another database
BEGIN
    IF v_part IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3061 %s is no delivery of a queue or a durable subscription: give the delivery'
                ' tag of the message as the broker sent it, epoch.subscription.sequence.code',
                coalesce(quote_literal(left(p_delivery, 100)), 'NULL'));
    END IF;
    -- A snapshot that is older than the row below would not show that the message has been settled since.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format(
                'RT-3062 settling needs READ COMMITTED, and this transaction is %s: begin it with that level',
                upper(current_setting('transaction_isolation')));
    END IF;
    v_delivered := ringtable.tag_number(v_part[1]);
    v_subscriber := ringtable.tag_number(v_part[3]);
    IF v_part[2] = ':' THEN
        v_subscriber := ((v_subscriber & 1023) << 40) | (v_subscriber >> 10);
    END IF;
    v_shard_id := v_subscriber >> 40;
    v_sequence := ringtable.tag_number(v_part[4]);
    -- Before anything is written: a row of one that was made up would keep out those who hold the delivery.
    IF ringtable.tag_number(v_part[5])
       IS DISTINCT FROM ringtable.delivery_code(v_delivered, v_subscriber, v_sequence) THEN
        SELECT p.place INTO v_place FROM ringtable.placement AS p WHERE p.shard_id = v_shard_id AND NOT p.here;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('RT-4545 delivery %s is of shard %s, which lies in another database, %s: settle on a'
                    ' connection to that one', p_delivery, v_shard_id, v_place);
        END IF;
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('RT-3350 delivery %s (epoch %s, subscription %s, sequence %s) was made by no broker'
                ' of this ring: give the delivery tag as the broker sent it',
                p_delivery, v_delivered, v_subscriber, v_sequence);
    END IF;

    IF current_setting('citus.version', true) IS NOT NULL THEN -- the server has loaded Citus
        PERFORM ringtable.commit_as_one();
    END IF;
    -- Waits for others who settle the same, and for the flush that takes over what one of them has committed.
    INSERT INTO ringtable.inbox (shard_id, content, subscription_id, sequence, laid_down_at)
    VALUES (v_shard_id, 'settlement', v_subscriber, v_sequence, clock_timestamp())
    ON CONFLICT (shard_id, subscription_id, sequence) WHERE content = 'settlement' DO NOTHING;
    v_is_settled := NOT FOUND;

    -- Later statements, so later snapshots: they see the ledger that such a flush has left.
    WHILE NOT v_is_settled LOOP
        SELECT h.epoch, h.gate, u.address_id, u.group_no, u.bit, g.segment
        INTO v_epoch, v_gate, v_address_id, v_group_no, v_bit, v_segment
        FROM ringtable.shard AS h
        LEFT JOIN ringtable.subscription AS u ON u.shard_id = h.shard_id AND u.subscription_id = v_subscriber
        LEFT JOIN ringtable.segment AS g ON g.shard_id = h.shard_id AND g.ordinal = v_sequence / (h.capacity / 8)
        WHERE h.shard_id = v_shard_id;
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
                WHERE b.shard_id = v_shard_id
                  AND b.address_id = v_address_id
                  AND b.sequence = v_sequence
                  AND b.group_no = v_group_no
                  AND b.pending >> v_bit & 1 = 1
                  AND NOT EXISTS (
                      SELECT
                      FROM ringtable.backlog_settlement AS l
                      WHERE l.shard_id = v_shard_id
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
            ' WHERE h.shard_id = $4', v_segment)
        INTO v_gate, v_is_settled
        USING v_sequence, v_segment, v_bit, v_shard_id;
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
