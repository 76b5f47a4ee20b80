-- settled_message: where the message of a settlement lies: 'ring', 'backlog', or NULL if nobody asks any more.
-- Called by:   read_inbox, once per settlement.
-- Locks:       none.
-- Access path: shard_pk, subscription_pk, backlog_pk.
-- Changes:     nothing; NULL means that the message or the subscription is gone.
DROP FUNCTION IF EXISTS ringtable.settled_message;

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
